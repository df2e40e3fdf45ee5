package io.thalweg.jobs.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.memory.MemoryPool;

/**
 * The memory that answers of brokers are received in: large ones in arrays that were read before, because what is new to the
 * processor's cache takes as long to be written as to be decompressed.
 *
 * <p><b>Threads.</b> One.
 */
final class ReceivedBytes implements MemoryPool {
    private static final int LARGE = 64 << 10;
    /** One answer is read while the next one arrives. */
    private static final int MOST_FREE = 4;

    private final List<byte[]> free = new ArrayList<>();
    private final Set<byte[]> read = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Records that a response is in use until {@link #reuse}; any part of it identifies the whole. */
    @SuppressWarnings("ByteBufferBackingArray") // it is the whole array that is wanted
    void read(ByteBuffer part) {
        if (part.hasArray() && part.array().length >= LARGE) {
            read.add(part.array());
        }
    }

    /** Takes the answers that were read. */
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
        // Room for more, for hardly two answers are of the same size.
        return ByteBuffer.wrap(new byte[bytes + bytes / 4], 0, bytes);
    }

    @Override
    public void release(ByteBuffer unread) {
        // An answer that was not received to its end is left to the collector.
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
