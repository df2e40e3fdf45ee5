package io.thalweg.bench.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports for the processes of a measurement. */
public final class Ports {
    private Ports() {}

    /** Returns a port of the loopback interface on which no process listened a moment ago. */
    public static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
