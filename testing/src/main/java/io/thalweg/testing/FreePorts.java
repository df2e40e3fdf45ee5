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
 * Allocates free ports of the loopback interface that stay free until a slow process listens on them. Each port is returned once
 * per process, concurrent test processes ({@code thalweg.fork}: 1, 2, …) use disjoint ranges, and the ranges are below the
 * ephemeral ports of the system (Linux from 32768, others from 49152).
 */
public final class FreePorts {
    private static final int FORKS = 4;
    private static final int PER_FORK = 5_000;
    private static final int FROM = 12_000 + Integer.getInteger("thalweg.fork", 1) % FORKS * PER_FORK;
    private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    /** Returns a port that was free a moment ago. */
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
