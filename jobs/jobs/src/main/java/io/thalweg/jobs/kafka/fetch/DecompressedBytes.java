package io.thalweg.jobs.kafka.fetch;

import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import org.jspecify.annotations.Nullable;

/**
 * A pool of the buffers that batches are decompressed into. Buffers are reused once the events in them are no longer read, the last
 * one first, because it may still be in the processor's cache.
 *
 * <p><b>Threads.</b> One thread takes, others may give back.
 */
public final class DecompressedBytes {
    /** The number of bytes decompressed at once, few enough to be in the cache when they are decoded. */
    private static final int WINDOW = 128 << 10;
    /** Queued events do not need more, unless they are very large. */
    private static final int MOST_FREE = 64;

    private final BlockingDeque<byte[]> free = new LinkedBlockingDeque<>(MOST_FREE);

    /** Returns a window of at least this size, with arbitrary content. */
    byte[] take(int atLeast) {
        if (atLeast > WINDOW) {
            return new byte[atLeast];
        }
        byte @Nullable [] window = free.pollFirst();
        return window == null ? new byte[WINDOW] : window;
    }

    /** Takes back arrays that are no longer read; those that are not of a window's size are left to the garbage collector. */
    public void giveBack(List<byte[]> read) {
        for (byte[] each : read) {
            if (each.length == WINDOW) {
                var unused = free.offerFirst(each);
            }
        }
    }
}
