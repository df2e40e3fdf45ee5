package io.thalweg.kernel.hex;

import org.jspecify.annotations.Nullable;

/**
 * Receives the rows of a tile as they are computed, in any order, each while it is still in the processor's cache.
 *
 * <p><b>Threads.</b> The thread of the calling {@link TileFeatures}.
 */
public interface RowSink {
    /** The number of ints per ring of a row of steps: one for each window; the others are undefined. */
    int LANES = LatticeKernel.LANES;

    /** The maximum number of windows of a row of steps. */
    int WINDOWS = LatticeCounts.WINDOWS;

    /**
     * Adds up steps to sums, in the layout of a row of the other kind.
     *
     * @param from the index of the first ring's first window
     * @param at the index of the first of {@code rings * windows} sums
     */
    static void sums(int[] steps, int from, int ringStride, int rings, int windows, long[] into, int at) {
        for (int ring = 0; ring < rings; ring++) {
            long sum = 0;
            for (int window = 0; window < windows; window++) {
                sum += steps[from + ring * ringStride + window];
                into[at + ring * windows + window] = sum;
            }
        }
    }

    /** Begins the rows of a tile. */
    void begin(long tile);

    /**
     * Receives a row of the usual kind: for each ring and window the <em>step</em>, which is the sum over the ring's disk of the
     * panes that the window contains and the previous one does not. A step is at least 0; the sum of all steps of a ring fits an int.
     *
     * @param slot the slot of the row's cell in the tile
     * @param steps contains the step of ring {@code r} and window {@code w} at {@code at + r * ringStride + w}; valid during the call
     */
    void row(int slot, int[] steps, int at, int ringStride);

    /**
     * Receives a row with more windows or larger sums, or near a pentagon.
     *
     * @param sums contains the sum of ring {@code r} and window {@code w} at {@code at + r * windows + w}; valid during the call
     * @param diskSizes the actual numbers of cells within each ring, or null if all are regular; may be retained
     */
    void row(int slot, long[] sums, int at, int @Nullable [] diskSizes);
}
