package io.thalweg.kernel.aggregate;

/** An exact sum, which supports subtract. */
public sealed interface Sum extends Aggregate permits IntegerSum, DoubleSum {
    @Override
    default boolean subtracts() {
        return true;
    }

    /**
     * Returns {@code sum * numerator / denominator} of the exact sum, rounded once: a mean, or a rate.
     *
     * @param numerator at least 1
     * @param denominator at least 1
     */
    double quotient(long[] words, int at, Spill spill, long numerator, long denominator);
}
