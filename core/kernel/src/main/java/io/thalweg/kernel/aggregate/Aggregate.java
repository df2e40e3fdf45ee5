package io.thalweg.kernel.aggregate;

import java.util.Arrays;

/**
 * An aggregate whose partial value is a fixed number of words in an array of the caller. The few values that do not fit overflow
 * into a {@link Spill}.
 *
 * <p><b>Laws.</b> All zeros is the identity. {@link #merge} is associative and commutative, and accumulating is merging the
 * partial of one input; {@link #subtract}, if supported, undoes merge. The result of {@link #finish} depends only on the inputs,
 * bit for bit, not on their order or on how they were split into partials. Support for {@code subtract} selects the algorithm of
 * sliding windows.
 *
 * <p>An aggregate does not record whether it is empty: the caller counts the inputs and returns null for an empty minimum,
 * maximum or mean.
 *
 * <p><b>Threads.</b> Aggregates are immutable and safe to share; words and spills are not.
 */
public sealed interface Aggregate permits Sum, Extreme {
    /** The number of words of a partial. */
    int words();

    /** Sets a partial to the identity; a partial in use must be {@link #release}d first. */
    default void create(long[] words, int at) {
        Arrays.fill(words, at, at + words(), 0);
    }

    /**
     * Adds one input.
     *
     * @param input a {@code long}, or the raw bits of a finite {@code double}
     */
    void accumulate(long[] words, int at, Spill spill, long input);

    /** Adds another partial, which does not change. */
    void merge(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill);

    /** Whether {@link #subtract} is supported. */
    boolean subtracts();

    /**
     * Removes another partial that was merged before.
     *
     * @throws UnsupportedOperationException unless {@link #subtracts()}
     */
    void subtract(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill);

    /** Computes the value of a partial. */
    void finish(long[] words, int at, Spill spill, Finished into);

    /** Releases the spilled value of a partial, whose words become undefined. */
    default void release(long[] words, int at, Spill spill) {}
}
