package io.thalweg.devkit;

import io.thalweg.model.deployment.ClientTls;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.Secret;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Cassandra node on ports of the loopback interface, in its own JVM with the jars that {@code storage/store-cassandra/server}
 * collects. Its data survives restarts. Its user and password are {@code cassandra}. If it has a key, it requires TLS.
 *
 * <p>Cassandra 5.0 needs Java 11 to 23, because it installs a security manager; under a later Java, this class searches for Java
 * 17.
 *
 * <p><b>Errors.</b> IllegalStateException with the end of its output if it does not start. <b>Threads.</b> One at a time.
 */
public final class CassandraProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final long LOOK_AGAIN_NANOS = 50_000_000;
    private static final int SHOWN_CHARS = 4_000;
    private static final int LAST_JAVA = 23;
    private static final List<String> EXPORTS = List.of(
            "java.base/jdk.internal.misc",
            "java.base/jdk.internal.ref",
            "java.base/sun.nio.ch",
            "java.management.rmi/com.sun.jmx.remote.internal.rmi",
            "java.rmi/sun.rmi.registry",
            "java.rmi/sun.rmi.server",
            "java.sql/java.sql",
            "java.base/java.lang.ref",
            "jdk.unsupported/sun.misc");
    private static final List<String> OPENS = List.of(
            "java.base/java.io",
            "java.base/java.lang",
            "java.base/java.lang.module",
            "java.base/java.lang.reflect",
            "java.base/java.math",
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/jdk.internal.loader",
            "java.base/jdk.internal.math",
            "java.base/jdk.internal.misc",
            "java.base/jdk.internal.module",
            "java.base/jdk.internal.ref",
            "java.base/jdk.internal.reflect",
            "java.base/jdk.internal.util.jar",
            "java.base/sun.nio.ch",
            "jdk.management/com.sun.management.internal");

    private final Path folder;
    private final int port;
    private final List<String> command;
    private Process process;

    private CassandraProcess(Path folder, Path jars, IntSupplier freePort, List<String> options) {
        this.folder = folder;
        this.port = freePort.getAsInt();
        write("logback-cassandra.xml", Map.of());
        write(
                "cassandra.yaml",
                Map.of(
                        "PORT",
                        String.valueOf(port),
                        "STORAGE_PORT",
                        String.valueOf(freePort.getAsInt()),
                        "TLS",
                        String.valueOf(isWithTls(folder)),
                        "FOLDER",
                        folder.toString()));
        command = command(jars, options);
        process = launch();
    }

    /**
     * Starts a node; returns when it accepts clients.
     *
     * @param folder for its files. If it contains the node's key as {@code node.p12}, and the same as {@code node.pem} and
     *   {@code node.key}, the node requires TLS, and that certificate from its clients
     * @param jars of the server
     * @param freePort returns a different port each time
     * @param options of its JVM, after those for a quick start and a small heap, so they take precedence
     */
    public static CassandraProcess start(Path folder, Path jars, IntSupplier freePort, String... options) {
        return new CassandraProcess(folder, jars, freePort, List.of(options));
    }

    private void write(String file, Map<String, String> values) {
        try (InputStream in = Objects.requireNonNull(CassandraProcess.class.getResourceAsStream(file), file)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (Map.Entry<String, String> value : values.entrySet()) {
                text = text.replace("@" + value.getKey() + "@", value.getValue());
            }
            Files.writeString(folder.resolve(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> command(Path jars, List<String> options) {
        if (!Files.isDirectory(jars)) {
            throw new IllegalStateException("there are no jars of Cassandra in " + jars);
        }
        List<String> made = new ArrayList<>(List.of(
                java(),
                "-Xmx1g",
                "-Xms512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.security.manager=allow",
                "-Djdk.attach.allowAttachSelf=true",
                "-Dlogback.configurationFile=" + folder.resolve("logback-cassandra.xml"),
                "-Dcassandra.config=" + folder.resolve("cassandra.yaml").toUri(),
                "-Dcassandra.storagedir=" + folder,
                "-Dcassandra.logdir=" + folder.resolve("logs"),
                "-Dcassandra-foreground=yes",
                "-Dcassandra.ring_delay_ms=100",
                "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                "-Dcassandra.superuser_setup_delay_ms=0",
                "-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4",
                "-Dcassandra.shutdown_announce_in_ms=0",
                "-Dio.netty.tryReflectionSetAccessible=true"));
        EXPORTS.forEach(each -> made.addAll(List.of("--add-exports", each + "=ALL-UNNAMED")));
        OPENS.forEach(each -> made.addAll(List.of("--add-opens", each + "=ALL-UNNAMED")));
        made.addAll(options);
        made.addAll(List.of("-cp", jars.toAbsolutePath() + "/*", "org.apache.cassandra.service.CassandraDaemon"));
        return made;
    }

    private static String java() {
        if (Runtime.version().feature() <= LAST_JAVA) {
            return Path.of(System.getProperty("java.home"), "bin", "java").toString();
        }
        try (Stream<Path> homes = Files.list(Path.of("/usr/lib/jvm"))) {
            return homes.filter(home -> home.getFileName().toString().contains("17"))
                    .map(home -> home.resolve("bin").resolve("java"))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalStateException("Cassandra 5.0 needs Java 17, of which there is none here"))
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException("Cassandra 5.0 needs Java 17", e);
        }
    }

    private Process launch() {
        Path said = folder.resolve("cassandra.out");
        try {
            Process launched = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!Files.readString(said).contains("Startup complete")) {
                if (!launched.isAlive() || System.nanoTime() - deadline > 0) {
                    launched.destroyForcibly();
                    String text = Files.readString(said);
                    throw new IllegalStateException("Cassandra did not start: "
                            + text.substring(Math.max(0, text.length() - SHOWN_CHARS))
                                    .strip());
                }
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
            return launched;
        } catch (IOException e) {
            throw new UncheckedIOException("Cassandra cannot be started", e);
        }
    }

    /** Returns the store as {@code thalweg.yaml} would configure it, with TLS if the node requires it. */
    public DeploymentConfig.Cassandra where(String keyspace) {
        return where(keyspace, "cassandra", "cassandra", tls());
    }

    /** Returns the TLS settings of clients; null if the node has no TLS. */
    public @Nullable ClientTls tls() {
        String certificate = folder.resolve("node.pem").toString();
        return isWithTls(folder)
                ? new ClientTls(
                        certificate, certificate, folder.resolve("node.key").toString())
                : null;
    }

    private static boolean isWithTls(Path folder) {
        return Files.exists(folder.resolve("node.p12"));
    }

    /** Returns the same for another user or other trust; without TLS if {@code tls} is null. */
    public DeploymentConfig.Cassandra where(
            String keyspace, @Nullable String user, @Nullable String password, @Nullable ClientTls tls) {
        return new DeploymentConfig.Cassandra(
                List.of("127.0.0.1:" + port),
                keyspace,
                "datacenter1",
                user,
                password == null ? null : Secret.of(password),
                null,
                tls);
    }

    /** The folder of its files. */
    public Path folder() {
        return folder;
    }

    /** The port that clients connect to. */
    public int port() {
        return port;
    }

    /** The process id. */
    public long pid() {
        return process.pid();
    }

    /** Stops it gracefully; accepted writes are kept. */
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Cassandra still runs after " + PATIENCE);
        }
    }

    /** Starts it again. */
    public void startAgain() {
        process = launch();
    }

    @Override
    public void close() {
        Process unused = process.destroyForcibly().onExit().join();
    }
}
