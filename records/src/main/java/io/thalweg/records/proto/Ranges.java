package io.thalweg.records.proto;

import java.util.Arrays;

/**
 * The places of fields that a message holds in several pieces, as chains. The first piece of a field is kept in its {@link
 * WireMessage}; only further ones are here, so most messages need none.
 *
 * <p>Pieces are added as structs are entered and dropped as they are left. Memory grows with the pieces that one message has,
 * each of which takes at least two bytes of it.
 */
final class Ranges {
    /** The end of a chain. */
    static final int NONE = -1;

    private long[] ranges = new long[16];
    private int[] next = new int[16];
    private int size;

    /** The range {@code [from, to)} as one number. */
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

    /** Adds a range at the end of a chain, whose last range is {@code tail}, or as the first of a new one; returns its index. */
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

    /** The range after another, or {@link #NONE}. */
    int next(int index) {
        return next[index];
    }

    void extend(int index, int to) {
        ranges[index] = withEnd(ranges[index], to);
    }
}
