package io.thalweg.kernel.hex;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The implementation in plain Java. */
/*
 * No branch depends on a count: a table maps two counts to one field, and the field is written as a word of which only the
 * whole bytes are kept.
 */
final class ScalarRowBits implements RowBits {
    static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int WIDTH_BITS = 5;
    private static final int LENGTH_BITS = 6;
    private static final int LENGTH = (1 << LENGTH_BITS) - 1;
    /**
     * At {@code expected << WIDTH_BITS | width}: in the lowest bits, the number of bits of a count of this width if that one was
     * expected; above them the addend that yields these bits when the count is added, whose leading one carries into the code.
     */
    private static final int[] NEXT = new int[1 << (2 * WIDTH_BITS)];

    static {
        for (int expected = 0; expected <= MOST_WIDTH; expected++) {
            for (int width = 0; width <= MOST_WIDTH; width++) {
                int change = width - expected;
                int code = ((change << 1) ^ (change >> 31)) + 1;
                int codeBits = 2 * width(code) - 1;
                int rest = Math.max(0, width - 1);
                int leadingOne = width == 0 ? 0 : 1 << rest;
                NEXT[expected << WIDTH_BITS | width] = ((code << rest) - leadingOne) << LENGTH_BITS | (codeBits + rest);
            }
        }
    }

    private final int rings;
    private final int windows;
    private final int[] counts;

    ScalarRowBits(int rings, int windows) {
        this.rings = rings;
        this.windows = windows;
        this.counts = new int[rings * windows];
    }

    @Override
    public RowBits another() {
        return new ScalarRowBits(rings, windows);
    }

    private static int width(int count) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(count);
    }

    @Override
    public int append(int[] steps, int at, int ringStride, byte[] into, int bit) {
        return count(steps, at, ringStride) ? append(into, bit) : -1;
    }

    /** Computes the counts of each annulus; returns whether all are within the maximum width. */
    private boolean count(int[] steps, int at, int ringStride) {
        int every = 0;
        for (int i = 0; i < windows; i++) {
            counts[i] = steps[at + i];
            every |= counts[i];
        }
        int ring = at + ringStride;
        for (int to = windows; to < counts.length; to += windows) {
            for (int window = 0; window < windows; window++) {
                int count = steps[ring + window] - steps[ring + window - ringStride];
                counts[to + window] = count;
                every |= count;
            }
            ring += ringStride;
        }
        return every >>> MOST_WIDTH == 0;
    }

    private int append(byte[] into, int bit) {
        int size = bit >>> 3;
        int pendingBits = bit & (Byte.SIZE - 1);
        long pending = (long) into[size] << (Long.SIZE - Byte.SIZE);
        int firstWidth = 0;
        for (int ringAt = 0; ringAt < counts.length; ringAt += windows) {
            int ringEnd = ringAt + windows;
            int expected = firstWidth;
            for (int at = ringAt; at < ringEnd; at += 2) {
                int width = width(counts[at]);
                int next = NEXT[expected << WIDTH_BITS | width];
                long field = (long) (next >>> LENGTH_BITS) + counts[at];
                int length = next & LENGTH;
                expected = width;
                if (at + 1 < ringEnd) {
                    width = width(counts[at + 1]);
                    next = NEXT[expected << WIDTH_BITS | width];
                    field = (field << next)
                            + (next >>> LENGTH_BITS)
                            + counts[at + 1]; // shifts take their lowest six bits
                    length += next & LENGTH;
                    expected = width;
                }
                pending |= field << (Long.SIZE - pendingBits - length);
                WORDS.set(into, size, pending);
                pendingBits += length;
                size += pendingBits >>> 3;
                pending <<= pendingBits & -Byte.SIZE;
                pendingBits &= Byte.SIZE - 1;
            }
            firstWidth = width(counts[ringAt]);
        }
        return Byte.SIZE * size + pendingBits;
    }
}
