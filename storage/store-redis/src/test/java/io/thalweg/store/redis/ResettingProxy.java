package io.thalweg.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy that resets a connection while its client waits for an answer, as a failing host does, and may lead elsewhere. */
final class ResettingProxy implements AutoCloseable {
    private volatile int serverPort;
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean resetNext = new AtomicBoolean();
    private final AtomicInteger resets = new AtomicInteger();

    ResettingProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        threads.execute(this::accept);
    }

    /** Makes connections that are opened from now on lead to another server, as an address that a name service moves. */
    void leadTo(int port) {
        serverPort = port;
    }

    URI uri() {
        return URI.create("redis://127.0.0.1:" + listener.getLocalPort());
    }

    /** Answers the next request with a reset, without forwarding it to the server. */
    void resetNext() {
        resetNext.set(true);
    }

    int resets() {
        return resets.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                sockets.add(client);
                sockets.add(server);
                threads.execute(() -> requests(client, server));
                threads.execute(() -> replies(server, client));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void requests(Socket client, Socket server) {
        byte[] bytes = new byte[1 << 16];
        try (client;
                server) {
            InputStream in = client.getInputStream();
            for (int length = in.read(bytes); length > 0; length = in.read(bytes)) {
                if (resetNext.compareAndSet(true, false)) {
                    resets.incrementAndGet();
                    client.setSoLinger(true, 0); // closing resets
                    return;
                }
                server.getOutputStream().write(bytes, 0, length);
            }
        } catch (IOException gone) {
            // one peer has closed the connection: both sides are closed now
        }
    }

    private static void replies(Socket server, Socket client) {
        try (client;
                server) {
            server.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException gone) {
            // as above, by the other thread
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
