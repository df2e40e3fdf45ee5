package io.thalweg.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback interface on which no process listens, and none that could be taken before a process that is slow to start
 * listens: each is handed out once per process, processes that test at once ({@code thalweg.fork}: 1, 2, …) have different ones,
 * and the system gives none of them to a connection (Linux from 32768, others from 49152).
 */
public final class FreePorts {
    private static final int FORKS = 4;
    private static final int PER_FORK = 5_000;
    private static final int FROM = 12_000 + Integer.getInteger("thalweg.fork", 1) % FORKS * PER_FORK;
    private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** A port that was free a moment ago. */
    public static int next() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FROM, FROM + PER_FORK);
            if (isFree(port) && HANDED_OUT.add(port)) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("no socket on the loopback interface", e);
        }
    }
}
