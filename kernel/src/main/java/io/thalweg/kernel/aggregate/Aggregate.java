package io.thalweg.kernel.aggregate;

import java.util.Arrays;

/**
 * An aggregate whose partial value is a fixed number of words in an array of the caller, with room beside it ({@link Spill}) for
 * the few that do not fit.
 *
 * <p><b>Laws.</b> All zeros is the identity. {@link #merge} is associative and commutative, and accumulating is merging the
 * partial of one input; {@link #subtract}, where there is one, undoes merge. What {@link #finish} answers depends on the
 * inputs alone, bit for bit: not on their order, nor on how they were cut into partials. Whether {@code subtract} exists
 * selects the algorithm of sliding windows.
 *
 * <p>Whether anything was aggregated is not kept here: the caller counts the inputs and answers null for an empty
 * minimum, maximum or mean.
 *
 * <p><b>Threads.</b> Aggregates are immutable and safe to share; words and spills are not.
 */
public sealed interface Aggregate permits Sum, Extreme {
    /** How many words a partial takes. */
    int words();

    /** Makes a partial the identity; one that is in use must be {@link #release}d before. */
    default void create(long[] words, int at) {
        Arrays.fill(words, at, at + words(), 0);
    }

    /**
     * Takes one input.
     *
     * @param input a {@code long}, or the raw bits of a finite {@code double}
     */
    void accumulate(long[] words, int at, Spill spill, long input);

    /** Adds what another partial holds, which stays as it is. */
    void merge(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill);

    /** Whether {@link #subtract} is there. */
    boolean subtracts();

    /**
     * Takes off what another partial holds, which was merged before.
     *
     * @throws UnsupportedOperationException unless {@link #subtracts()}
     */
    void subtract(long[] words, int at, Spill spill, long[] other, int otherAt, Spill otherSpill);

    /** The value of a partial. */
    void finish(long[] words, int at, Spill spill, Finished into);

    /** Gives back what a partial holds outside its words, which mean nothing from now on. */
    default void release(long[] words, int at, Spill spill) {}
}
