package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Child;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import redis.embedded.core.ExecutableProvider;

/** A redis-server of this machine, in memory only. */
public final class RedisServer implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final Child process;
    private final int port;

    private RedisServer(Child process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one on a free port; what it says of errors is in the folder. */
    public static RedisServer start(Path folder) throws IOException, InterruptedException {
        int port = freePort();
        List<String> command = List.of(
                ExecutableProvider.newJarResourceProvider().get().getAbsolutePath(),
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no");
        CompletableFuture<Boolean> ready = new CompletableFuture<>();
        Child process = Child.start("redis", folder, Map.of(), command, line -> {
            if (line.contains("Ready to accept connections")) {
                ready.complete(true);
            }
        });
        try {
            ready.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return new RedisServer(process, port);
        } catch (ExecutionException | TimeoutException e) {
            process.close();
            throw new IllegalStateException("redis-server did not start: " + process.said(), e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** Its process. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }
}
