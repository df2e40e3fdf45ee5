package io.thalweg.model.row;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * Memory for blocks that wait to be written, such as the rows of a window end: a hundred megabytes or more. As young objects,
 * they would be copied by each collection while they wait. Therefore, their columns are copied into large, reused arrays, which
 * live in the old generation, where young collections do not copy them.
 *
 * <p><b>Memory.</b> Grows to the peak of the waiting bytes, in whole chunks of a megabyte, and never shrinks.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class WaitingBlocks {
    static final int CHUNK_BYTES = 1 << 20;

    private final Deque<Chunk> empty = new ArrayDeque<>();
    private Chunk filling = new Chunk();
    private int chunks = 1;

    /** Some blocks, one after the other. */
    private static final class Chunk {
        private final ByteBuffer bytes = ByteBuffer.allocate(CHUNK_BYTES);
        private int waiting;
    }

    /**
     * Copies a block. One that contains more than its bits, or whose bits exceed a chunk, waits as it is.
     *
     * @return supplies the block once; its memory is reused afterwards
     */
    public Supplier<HexRowBlock> copy(HexRowBlock block) {
        int bytes = block.columnBytes();
        if (bytes < 0 || bytes > CHUNK_BYTES) {
            return () -> block;
        }
        HexRowBlock.Shape shape = block.shape();
        Chunk chunk;
        ByteBuffer place;
        synchronized (this) {
            if (filling.bytes.remaining() < bytes) {
                filling = next();
            }
            chunk = filling;
            chunk.waiting++;
            place = chunk.bytes.slice().limit(bytes);
            chunk.bytes.position(chunk.bytes.position() + bytes);
        }
        block.copyColumns(place);
        return () -> {
            HexRowBlock copy = shape.block(place.flip());
            taken(chunk);
            return copy;
        };
    }

    private Chunk next() {
        if (filling.waiting == 0) {
            filling.bytes.clear();
            return filling;
        }
        Chunk next = empty.poll();
        if (next == null) {
            chunks++;
            return new Chunk();
        }
        return next;
    }

    private synchronized void taken(Chunk chunk) {
        chunk.waiting--;
        if (chunk.waiting == 0 && chunk != filling) {
            chunk.bytes.clear();
            empty.add(chunk);
        }
    }

    /** The number of chunks. */
    synchronized int chunks() {
        return chunks;
    }
}
