package io.thalweg.model;

/**
 * Rows of one view and window end that travel together.
 *
 * @param <B> the kind of block
 */
public interface FeatureRows<B extends FeatureRows<B>> {
    /** How many there are. */
    int rows();

    /** A copy of rows {@code from} to {@code to}, the latter exclusive. */
    B rows(int from, int to);

    /** Epoch ms. */
    long windowEndMs();

    Finality finality();

    /** About as many bytes of memory as the block holds now. */
    long heapBytes();
}
