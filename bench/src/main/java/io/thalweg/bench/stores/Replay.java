package io.thalweg.bench.stores;

import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Meter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a client and Redis and keeps what the client sends, to send it again from memory: the same calls without any
 * client's work, as {@code redis-benchmark -P} would (which cannot: it takes no bytes 0 as arguments).
 */
public final class Replay implements AutoCloseable {
    private final ServerSocket listening;
    private final int redisPort;
    private final List<ByteArrayOutputStream> sent = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    /** Starts to listen, and forwards calls to the Redis at this port. */
    public Replay(int redisPort) throws IOException {
        this.redisPort = redisPort;
        this.listening = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        daemon("accept", this::accept);
    }

    /** Where a client connects whose calls are kept. */
    public URI uri() {
        return URI.create("redis://127.0.0.1:" + listening.getLocalPort());
    }

    /** Sends the calls, which write so many rows, to the emptied store. */
    public Figures measure(StoreServer server, long rows) throws IOException, InterruptedException {
        server.clear();
        double before = server.processorSeconds();
        double cpu = Meter.cpuSeconds();
        long begin = System.nanoTime();
        run();
        return new Figures()
                .rate("rows", rows, (System.nanoTime() - begin) / 1e9, Meter.cpuSeconds() - cpu)
                .put("server_cpu_seconds_per_million_rows", (server.processorSeconds() - before) / rows * 1e6);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
                sockets.addAll(List.of(client, redis));
                ByteArrayOutputStream kept = new ByteArrayOutputStream();
                sent.add(kept);
                daemon("up", () -> copy(client, redis, kept));
                daemon("down", () -> copy(redis, client, null));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void copy(Socket from, Socket to, @Nullable ByteArrayOutputStream kept) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (kept != null) {
                    kept.write(buffer, 0, n);
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // Closed by one of them.
        }
    }

    private static Thread daemon(String name, Runnable run) {
        Thread thread = new Thread(run, "replay-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Sends all of it again, each connection as fast as Redis answers; returns when all is answered. */
    private void run() throws IOException, InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<IOException> failures = new CopyOnWriteArrayList<>();
        for (ByteArrayOutputStream kept : sent) {
            byte[] calls = kept.toByteArray();
            threads.add(daemon("run", () -> {
                try {
                    send(calls);
                } catch (IOException e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** A last command of its own marks the end of the answers. */
    private void send(byte[] calls) throws IOException {
        byte[] end = "ECHO thalweg-end\r\n".getBytes(StandardCharsets.US_ASCII);
        byte[] wanted = "thalweg-end\r\n".getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redisPort)) {
            Thread writing = daemon("write", () -> {
                try {
                    socket.getOutputStream().write(calls);
                    socket.getOutputStream().write(end);
                } catch (IOException e) {
                    // The reader finds out.
                }
            });
            InputStream in = socket.getInputStream();
            byte[] tail = new byte[wanted.length];
            byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                shift(tail, buffer, n);
                if (Arrays.equals(tail, wanted)) {
                    writing.interrupt();
                    return;
                }
            }
            throw new IOException("Redis closed the connection");
        }
    }

    private static void shift(byte[] tail, byte[] buffer, int n) {
        int fresh = Math.min(tail.length, n);
        System.arraycopy(tail, fresh, tail, 0, tail.length - fresh);
        System.arraycopy(buffer, n - fresh, tail, tail.length - fresh, fresh);
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
