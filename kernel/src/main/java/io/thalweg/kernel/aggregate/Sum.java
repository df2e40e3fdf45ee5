package io.thalweg.kernel.aggregate;

/** A sum, exact; subtracts. */
public sealed interface Sum extends Aggregate permits IntegerSum, DoubleSum {
    @Override
    default boolean subtracts() {
        return true;
    }

    /**
     * {@code sum * numerator / denominator} of the exact sum, rounded once: a mean, or a rate.
     *
     * @param numerator at least 1
     * @param denominator at least 1
     */
    double quotient(long[] words, int at, Spill spill, long numerator, long denominator);
}
