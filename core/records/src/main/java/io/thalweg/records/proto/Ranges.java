package io.thalweg.records.proto;

import java.util.Arrays;

/**
 * The positions of fields that occur in several pieces in a message, as chains. The {@link WireMessage} keeps the first piece of
 * a field; this class keeps only further ones, so most messages need none.
 *
 * <p>Pieces are added when structs are entered and dropped when they are left. Memory grows with the pieces of one message, each
 * of which takes at least two bytes of the message.
 */
final class Ranges {
    /** The end of a chain. */
    static final int NONE = -1;

    private long[] ranges = new long[16];
    private int[] next = new int[16];
    private int size;

    /** Returns the range {@code [from, to)} as one number. */
    static long of(int from, int to) {
        return ((long) from << 32) | to;
    }

    static int from(long range) {
        return (int) (range >>> 32);
    }

    static int to(long range) {
        return (int) range;
    }

    static long withEnd(long range, int to) {
        return of(from(range), to);
    }

    int size() {
        return size;
    }

    /** Drops the ranges added since the size was {@code size}. */
    void shrink(int size) {
        this.size = size;
    }

    /** Adds a range after {@code tail}, the last range of a chain, or as the first of a new chain; returns its index. */
    int add(int tail, long range) {
        if (size == ranges.length) {
            ranges = Arrays.copyOf(ranges, size * 2);
            next = Arrays.copyOf(next, size * 2);
        }
        ranges[size] = range;
        next[size] = NONE;
        if (tail != NONE) {
            next[tail] = size;
        }
        return size++;
    }

    long range(int index) {
        return ranges[index];
    }

    /** Returns the index of the range after another, or {@link #NONE}. */
    int next(int index) {
        return next[index];
    }

    void extend(int index, int to) {
        ranges[index] = withEnd(ranges[index], to);
    }
}
