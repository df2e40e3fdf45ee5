package io.thalweg.bench.stores;

import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.harness.Meter;
import io.thalweg.store.StoreAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A proxy between a client and Redis that records what the client sends, to replay it from memory: the same calls without any
 * work of the client, as {@code redis-benchmark -P} would do (which does not accept NUL bytes in arguments).
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
        daemon(this::accept);
    }

    /** The address for a client whose calls are recorded. */
    public StoreAddress address() {
        return RedisServer.address(listening.getLocalPort());
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    /** Starts a daemon thread; when one end closes a connection, both of its threads end. */
    private static Thread daemon(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException e) {
                        // Closed; the comparison of the rows detects missing ones.
                    }
                },
                "replay");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
            sockets.addAll(List.of(client, redis));
            ByteArrayOutputStream kept = new ByteArrayOutputStream();
            sent.add(kept);
            daemon(() -> keep(client.getInputStream(), kept, redis.getOutputStream()));
            daemon(() -> redis.getInputStream().transferTo(client.getOutputStream()));
        }
    }

    private static void keep(InputStream in, OutputStream kept, OutputStream out) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            kept.write(buffer, 0, n);
            out.write(buffer, 0, n);
        }
    }

    /** Sends the calls, which write {@code rows} rows, to the emptied store, each connection as fast as Redis answers. */
    public Figures measure(RedisServer redis, long rows) throws IOException, InterruptedException {
        redis.clear();
        List<byte[]> calls =
                sent.stream().map(ByteArrayOutputStream::toByteArray).toList();
        double before = redis.processorSeconds();
        double cpu = Meter.cpuSeconds();
        long begin = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (byte[] each : calls) {
            threads.add(daemon(() -> send(each)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return new Figures()
                .rate("rows", rows, (System.nanoTime() - begin) / 1e9, Meter.cpuSeconds() - cpu)
                .put("server_cpu_seconds_per_million_rows", (redis.processorSeconds() - before) / rows * 1e6);
    }

    /** Sends the calls; Redis processes everything that it has read from a connection before it detects the end and closes it. */
    private void send(byte[] calls) throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redisPort)) {
            Thread answers = daemon(() -> socket.getInputStream().transferTo(OutputStream.nullOutputStream()));
            socket.getOutputStream().write(calls);
            socket.shutdownOutput();
            answers.join();
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
