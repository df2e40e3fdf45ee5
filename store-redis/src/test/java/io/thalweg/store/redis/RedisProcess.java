package io.thalweg.store.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** A real redis-server on a port of the loopback interface; data in its append-only file survives restarts. */
final class RedisProcess implements AutoCloseable {
    private static final Duration PATIENCE = Await.PATIENCE;
    /** The distance of a cluster node's bus port from its port. */
    private static final int BUS = 10_000;

    private static final String EXECUTABLE = executable();

    private final Path folder;
    private final int port;
    private final @Nullable TestCertificate certificate;
    private final List<String> command;
    private Subprocess process;

    private RedisProcess(Path folder, int port, @Nullable TestCertificate certificate, List<String> options) {
        this.folder = folder;
        this.port = port;
        this.certificate = certificate;
        command = new ArrayList<>(
                List.of(EXECUTABLE, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "no"));
        command.addAll(options);
        process = launch();
    }

    /** Starts a server whose files are in {@code folder}. */
    static RedisProcess start(Path folder, String... options) {
        int port = freePort();
        return new RedisProcess(folder, port, null, with(List.of("--port", String.valueOf(port)), options));
    }

    /**
     * Starts a server that speaks only TLS. Its certificate is also the authority of client certificates, which it does not
     * demand unless {@code options} set that.
     */
    static RedisProcess startWithTls(Path folder, TestCertificate certificate, String... options) {
        int port = freePort();
        List<String> tls = List.of(
                "--port",
                "0",
                "--tls-port",
                String.valueOf(port),
                "--tls-cert-file",
                certificate.certificate().toString(),
                "--tls-key-file",
                certificate.key().toString(),
                "--tls-ca-cert-file",
                certificate.certificate().toString(),
                "--tls-auth-clients",
                "no");
        return new RedisProcess(folder, port, certificate, with(tls, options));
    }

    private static List<String> with(List<String> first, String... options) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(options));
        return all;
    }

    private static int freePort() {
        int port = FreePorts.next();
        while (port + BUS > 65_535) {
            port = FreePorts.next();
        }
        return port;
    }

    private static String executable() {
        try {
            return ExecutableProvider.newJarResourceProvider().get().getAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException("there is no redis-server for this machine", e);
        }
    }

    private Subprocess launch() {
        Subprocess launched = Subprocess.start(folder, Map.of(), command);
        launched.awaitLine("Ready to accept connections", PATIENCE);
        return launched;
    }

    int port() {
        return port;
    }

    /** The address for the default user. */
    URI uri() {
        return URI.create((certificate == null ? "redis" : "rediss") + "://127.0.0.1:" + port);
    }

    /** Returns the address for a user, with any scheme, including one that the server does not speak. */
    URI uri(String scheme, String userAndPassword) {
        return URI.create(scheme + "://" + userAndPassword + "@127.0.0.1:" + port);
    }

    /** A client that is independent of the code under test. */
    RedisClient client() {
        RedisClient client = RedisClient.create(uri().toString());
        if (certificate != null) {
            SslOptions trust = SslOptions.builder()
                    .jdkSslProvider()
                    .trustManager(certificate.certificate().toFile())
                    .build();
            client.setOptions(ClientOptions.builder().sslOptions(trust).build());
        }
        return client;
    }

    void awaitLine(String regex) {
        process.awaitLine(regex, PATIENCE);
    }

    /** Kills the server as a crash would. */
    void kill() {
        process.signal(Subprocess.Signal.KILL);
        process.awaitExit(PATIENCE);
        process.close();
    }

    void startAgain() {
        process = launch();
    }

    @Override
    public void close() {
        process.close();
    }
}
