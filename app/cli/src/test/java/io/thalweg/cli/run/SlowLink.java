package io.thalweg.cli.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A port that passes connections on to a server on this machine, as if that were remote: each byte of a request arrives a fixed time
 * after it was sent, however many are in flight.
 *
 * <p><b>Threads.</b> Safe. Each connection has three of its own, which end with it.
 */
final class SlowLink implements AutoCloseable {
    private final ServerSocket listening;
    private final int server;
    private final long delayNanos;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private record Chunk(byte[] bytes, long dueNanos) {}

    /** Listens on a free port until it is closed. */
    SlowLink(int server, long delayMs) throws IOException {
        this.server = server;
        delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMs);
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private interface Copying {
        void run() throws IOException, InterruptedException;
    }

    /** A thread whose failure is the end of a connection, which both sides notice. */
    private static void start(Copying copying) {
        Thread thread = new Thread(() -> {
            try {
                copying.run();
            } catch (IOException e) {
                // one of the sockets is closed
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket near = listening.accept();
            Socket far = new Socket(InetAddress.getLoopbackAddress(), server);
            far.setTcpNoDelay(true);
            open.add(near);
            open.add(far);
            BlockingQueue<Chunk> underway = new LinkedBlockingQueue<>();
            start(() -> depart(near, underway));
            start(() -> arrive(underway, far));
            start(() -> copy(far, near));
        }
    }

    private void depart(Socket from, BlockingQueue<Chunk> underway) throws IOException {
        InputStream in = from.getInputStream();
        byte[] buffer = new byte[1 << 16];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            underway.add(new Chunk(Arrays.copyOf(buffer, length), System.nanoTime() + delayNanos));
        }
        underway.add(new Chunk(new byte[0], System.nanoTime() + delayNanos));
    }

    /** Forwards chunks until an empty one, which marks the end of the requests. */
    private static void arrive(BlockingQueue<Chunk> underway, Socket to) throws IOException, InterruptedException {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = underway.take(); chunk.bytes().length > 0; chunk = underway.take()) {
                TimeUnit.NANOSECONDS.sleep(chunk.dueNanos() - System.nanoTime());
                out.write(chunk.bytes());
            }
        }
    }

    private static void copy(Socket from, Socket to) throws IOException {
        try (to) {
            var unused = from.getInputStream().transferTo(to.getOutputStream());
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
