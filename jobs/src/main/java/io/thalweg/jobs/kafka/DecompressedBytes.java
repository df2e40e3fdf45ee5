package io.thalweg.jobs.kafka;

import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import org.jspecify.annotations.Nullable;

/**
 * The memory that batches are decompressed into: windows that are reused once the events in them are no longer read,
 * the last one first, because it may still be in the processor's cache.
 *
 * <p><b>Threads.</b> One takes, others may give back.
 */
final class DecompressedBytes {
    /** The number of bytes that are decompressed at once; they should still be in the cache when they are decoded. */
    private static final int WINDOW = 128 << 10;
    /** More are not needed by events that wait for their reader, unless they are very large. */
    private static final int MOST_FREE = 64;

    private final BlockingDeque<byte[]> free = new LinkedBlockingDeque<>(MOST_FREE);

    /** A window of at least so many bytes, whatever they are. */
    byte[] take(int atLeast) {
        if (atLeast > WINDOW) {
            return new byte[atLeast];
        }
        byte @Nullable [] window = free.pollFirst();
        return window == null ? new byte[WINDOW] : window;
    }

    /** Takes arrays that are no longer read; those of another size than a window are left to the collector. */
    void giveBack(List<byte[]> read) {
        for (byte[] each : read) {
            if (each.length == WINDOW) {
                var unused = free.offerFirst(each);
            }
        }
    }
}
