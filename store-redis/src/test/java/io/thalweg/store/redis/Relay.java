package io.thalweg.store.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A way to a server of this machine: what arrives at a port is sent on. */
abstract class Relay implements AutoCloseable {
    private final int serverPort;
    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    /** {@link #start} begins to accept. */
    Relay(int serverPort, ServerSocket listener) {
        this.serverPort = serverPort;
        this.listener = listener;
    }

    final void start() {
        threads.execute(this::accept);
    }

    final int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                sockets.add(client);
                sockets.add(server);
                threads.execute(() -> sendOn(client, server, true));
                threads.execute(() -> sendOn(server, client, false));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void sendOn(Socket from, Socket to, boolean requests) {
        try (from;
                to) {
            if (requests) {
                requests(from, to);
            } else {
                from.getInputStream().transferTo(to.getOutputStream());
            }
        } catch (IOException gone) {
            // one of the two has closed the connection: both are closed now
        }
    }

    /** Sends on what a client sends, until it sends no more. */
    void requests(Socket client, Socket server) throws IOException {
        client.getInputStream().transferTo(server.getOutputStream());
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
