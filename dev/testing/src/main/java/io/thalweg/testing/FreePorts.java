package io.thalweg.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Allocates free ports of the loopback interface that stay free until a slow process listens on them. Each port is returned once
 * per process, and the ports are below the ephemeral ports of the system (Linux from 32768, others from 49152).
 *
 * <p>Concurrent test processes, even those of several builds, use disjoint blocks of ports: a process listens on the first port of
 * each of its blocks until it ends.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class FreePorts {
    private static final int FROM = 12_000;
    private static final int BLOCKS = 400;
    private static final int PER_BLOCK = 50;

    /** The ports of the reserved blocks that are not returned yet. */
    private static final Deque<Integer> LEFT = new ArrayDeque<>();
    /** Keeps other processes away from the reserved blocks. */
    private static final List<ServerSocket> GUARDS = new ArrayList<>();

    private FreePorts() {}

    /**
     * Returns a port that was free a moment ago.
     *
     * @throws IllegalStateException if other processes have reserved all blocks
     */
    public static synchronized int next() {
        while (true) {
            Integer port = LEFT.poll();
            if (port == null) {
                reserveBlock();
            } else if (isFree(port)) {
                return port;
            }
        }
    }

    private static void reserveBlock() {
        List<Integer> blocks = IntStream.range(0, BLOCKS).boxed().collect(Collectors.toCollection(ArrayList::new));
        Collections.shuffle(blocks);
        for (int block : blocks) {
            int first = FROM + block * PER_BLOCK;
            if (reserve(first)) {
                IntStream.range(first + 1, first + PER_BLOCK).forEach(LEFT::add);
                return;
            }
        }
        throw new IllegalStateException(
                "all %d blocks of ports from %d are reserved by other processes".formatted(BLOCKS, FROM));
    }

    /** Reserves a block, unless another process has it. */
    private static boolean reserve(int first) {
        try {
            return GUARDS.add(listen(first));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = listen(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }
}
