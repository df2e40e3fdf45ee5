package io.thalweg.kernel.hex;

import org.jspecify.annotations.Nullable;

/**
 * Takes the rows of a tile as they are computed, each while it is still in the processor's cache. They come in any order.
 *
 * <p><b>Threads.</b> That of the {@link TileFeatures} that calls.
 */
public interface RowSink {
    /** Ints that a ring of a row has, where rows are steps: one for each window, the others mean nothing. */
    int LANES = LatticeKernel.LANES;

    /** So many windows at most has a row that comes as steps. */
    int WINDOWS = LatticeCounts.WINDOWS;

    /**
     * Adds steps up to sums, which stand as those of a row of the other kind.
     *
     * @param from of the first ring's first window
     * @param at where the first of {@code rings * windows} sums goes
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

    /** The rows that follow are a tile's. */
    void begin(long tile);

    /**
     * A row of the usual kind: of each ring and window the <em>step</em>, which is the sum over the ring's disk of the panes that
     * the window has and the one before has not. A step is at least 0; all steps of a ring together are an int.
     *
     * @param slot of the row's cell in the tile
     * @param steps of ring {@code r} and window {@code w} at {@code at + r * ringStride + w}; valid during the call
     */
    void row(int slot, int[] steps, int at, int ringStride);

    /**
     * A row of another kind: of more windows, of larger sums, or near a pentagon.
     *
     * @param sums of ring {@code r} and window {@code w} at {@code at + r * windows + w}; valid during the call
     * @param diskSizes true numbers of cells within each ring, or null where all are regular; may be kept
     */
    void row(int slot, long[] sums, int at, int @Nullable [] diskSizes);
}
