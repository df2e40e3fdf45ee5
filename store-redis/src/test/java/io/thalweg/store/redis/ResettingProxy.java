package io.thalweg.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A way to a server on which a connection is reset while it waits for an answer, as by a host that fails. */
final class ResettingProxy extends Relay {
    private final AtomicBoolean resetNext = new AtomicBoolean();
    private final AtomicInteger resets = new AtomicInteger();

    ResettingProxy(int serverPort) throws IOException {
        super(serverPort, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        start();
    }

    URI uri() {
        return URI.create("redis://127.0.0.1:" + port());
    }

    /** What a client sends next gets a reset for an answer and does not reach the server. */
    void resetNext() {
        resetNext.set(true);
    }

    int resets() {
        return resets.get();
    }

    @Override
    void requests(Socket client, Socket server) throws IOException {
        byte[] bytes = new byte[1 << 16];
        InputStream in = client.getInputStream();
        for (int length = in.read(bytes); length > 0; length = in.read(bytes)) {
            if (resetNext.compareAndSet(true, false)) {
                resets.incrementAndGet();
                client.setSoLinger(true, 0); // closing resets
                return;
            }
            server.getOutputStream().write(bytes, 0, length);
        }
    }
}
