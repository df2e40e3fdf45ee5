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
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
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
    private final String ready;
    private Subprocess process;

    private RedisProcess(
            Path folder, int port, @Nullable TestCertificate certificate, List<String> command, String ready) {
        this.folder = folder;
        this.port = port;
        this.certificate = certificate;
        this.command = command;
        this.ready = ready;
        process = launch();
    }

    private static RedisProcess server(
            Path folder, int port, @Nullable TestCertificate certificate, List<String> options) {
        List<String> command = new ArrayList<>(
                List.of(EXECUTABLE, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "no"));
        command.addAll(options);
        return new RedisProcess(folder, port, certificate, command, "Ready to accept connections");
    }

    /** Starts a server whose files are in {@code folder}. */
    static RedisProcess start(Path folder, String... options) {
        int port = freePort();
        return server(folder, port, null, with(List.of("--port", String.valueOf(port)), options));
    }

    /**
     * Starts a Sentinel that knows a server by the name {@code market}, and replaces it by its replica after half a second without an
     * answer. It speaks TLS if the server does.
     *
     * @param settings lines of its configuration
     */
    static RedisProcess startSentinel(Path folder, RedisProcess master, String... settings) throws IOException {
        int port = freePort();
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1",
                "port " + (master.certificate == null ? port : 0),
                "sentinel monitor market 127.0.0.1 " + master.port + " 1",
                "sentinel down-after-milliseconds market 500"));
        if (master.certificate != null) {
            List<String> tls = tls(port, master.certificate);
            for (int i = 0; i < tls.size(); i += 2) {
                lines.add(tls.get(i).substring(2) + " " + tls.get(i + 1));
            }
            lines.add("tls-replication yes");
        }
        lines.addAll(List.of(settings));
        Path file = Files.write(folder.resolve("sentinel.conf"), lines);
        return new RedisProcess(
                folder,
                port,
                master.certificate,
                List.of(EXECUTABLE, file.toString(), "--sentinel"),
                "\\+monitor master market");
    }

    /**
     * Starts a server that speaks only TLS. Its certificate is also the authority of client certificates, which it does not
     * demand unless {@code options} set that.
     */
    static RedisProcess startWithTls(Path folder, TestCertificate certificate, String... options) {
        int port = freePort();
        List<String> tls = with(List.of("--port", "0"), tls(port, certificate).toArray(String[]::new));
        return server(folder, port, certificate, with(tls, options));
    }

    private static List<String> tls(int port, TestCertificate certificate) {
        return List.of(
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
    }

    private static List<String> with(List<String> first, String... options) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(options));
        return all;
    }

    private static int freePort() {
        int port = FreePorts.next();
        while (!isFree(port + BUS)) { // it may be an ephemeral one
            port = FreePorts.next();
        }
        return port;
    }

    private static boolean isFree(int port) {
        try (ServerSocket listener = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return listener.isBound();
        } catch (IOException e) {
            return false;
        }
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
        launched.awaitLine(ready, PATIENCE);
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
