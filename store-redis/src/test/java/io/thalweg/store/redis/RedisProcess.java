package io.thalweg.store.redis;

import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import redis.embedded.core.ExecutableProvider;

/** A real redis-server on a port of the loopback interface; what it appended to its file it has again when started again. */
final class RedisProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** A cluster's nodes talk at this distance from their port. */
    private static final int BUS = 10_000;

    private static final String EXECUTABLE = executable();

    private final Path folder;
    private final int port;
    private final List<String> command;
    private Subprocess process;

    private RedisProcess(Path folder, int port, List<String> options) {
        this.folder = folder;
        this.port = port;
        command = new ArrayList<>(List.of(
                EXECUTABLE,
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "yes",
                "--appendfsync",
                "no"));
        command.addAll(options);
        process = launch();
    }

    /** Starts a server whose files are in {@code folder}. */
    static RedisProcess start(Path folder, String... options) {
        return new RedisProcess(folder, freePort(), List.of(options));
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

    URI uri() {
        return URI.create("redis://127.0.0.1:" + port);
    }

    void awaitLine(String regex) {
        process.awaitLine(regex, PATIENCE);
    }

    /** Ends it as a crash would. */
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
