package io.thalweg.jobs.kafka.fetch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.memory.MemoryPool;

/**
 * The memory that brokers' responses are received into. Large responses reuse arrays that were read before, because writing to memory
 * outside the processor's cache takes as long as decompression.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
final class ReceivedBytes implements MemoryPool {
    private static final int LARGE = 64 << 10;
    /** One response is read while the next one arrives. */
    private static final int MOST_FREE = 4;

    private final List<byte[]> free = new ArrayList<>();
    private final Set<byte[]> read = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Records that a response is in use until {@link #reuse}; any part of it identifies the whole. */
    @SuppressWarnings("ByteBufferBackingArray") // the whole array is intended
    void read(ByteBuffer part) {
        if (part.hasArray() && part.array().length >= LARGE) {
            read.add(part.array());
        }
    }

    /** Makes the arrays of the responses that were read available for reuse. */
    void reuse() {
        read.forEach(array -> {
            if (free.size() == MOST_FREE) {
                free.remove(0);
            }
            free.add(array);
        });
        read.clear();
    }

    @Override
    public ByteBuffer tryAllocate(int bytes) {
        if (bytes < LARGE) {
            return ByteBuffer.allocate(bytes);
        }
        for (int i = free.size() - 1; i >= 0; i--) {
            if (free.get(i).length >= bytes) {
                return ByteBuffer.wrap(free.remove(i), 0, bytes);
            }
        }
        // Larger than needed, because responses differ in size.
        return ByteBuffer.wrap(new byte[bytes + bytes / 4], 0, bytes);
    }

    @Override
    public void release(ByteBuffer unread) {
        // A partially received response is left to the garbage collector.
    }

    @Override
    public long size() {
        return Long.MAX_VALUE;
    }

    @Override
    public long availableMemory() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isOutOfMemory() {
        return false;
    }
}
