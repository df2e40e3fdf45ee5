package io.thalweg.bench.micro;

import java.util.Arrays;

/**
 * The rival: every cell adds up the 1,261 cells of its largest disk on the dense lattice, one by one, for each window. The cells
 * are ordered by distance, so the sum of each ring is the running total. Plain, as one would write it first: no vectors, nothing
 * shared between cells or windows.
 */
final class DirectGather {
    private final int[] steps;
    private final int[] ringEnds;
    private final int[] windows;

    /** Creates a gather for a lattice of a given width, {@code i} contiguous; disks are {@code |i|, |j|, |i - j| <= R}. */
    DirectGather(int width, int[] rings, int[] windows) {
        int maxRing = rings[rings.length - 1];
        this.windows = windows;
        this.steps = new int[1 + 3 * maxRing * (maxRing + 1)];
        this.ringEnds = new int[rings.length];
        int count = 0;
        for (int ring = 0, distance = 0; distance <= maxRing; distance++) {
            for (int j = -distance; j <= distance; j++) {
                for (int i = -distance; i <= distance; i++) {
                    if (Math.max(Math.max(Math.abs(i), Math.abs(j)), Math.abs(i - j)) == distance) {
                        steps[count++] = j * width + i;
                    }
                }
            }
            if (rings[ring] == distance) {
                ringEnds[ring++] = count;
            }
        }
    }

    /**
     * Computes all features of all cells.
     *
     * @param indexes lattice indexes of the counts, pane by pane, the newest first
     * @param counts in the same order
     * @param lattice scratch
     * @param cells lattice indexes
     * @param sums cell by cell, rings outer, windows inner
     */
    void sum(int[][] indexes, int[][] counts, int[] lattice, int[] cells, long[] sums) {
        Arrays.fill(lattice, 0);
        int pane = 0;
        for (int window = 0; window < windows.length; window++) {
            for (; pane < windows[window]; pane++) {
                for (int n = 0; n < indexes[pane].length; n++) {
                    lattice[indexes[pane][n]] += counts[pane][n];
                }
            }
            for (int n = 0; n < cells.length; n++) {
                gather(lattice, cells[n], sums, n * ringEnds.length * windows.length + window);
            }
        }
    }

    private void gather(int[] lattice, int cell, long[] sums, int into) {
        int sum = 0;
        int step = 0;
        for (int ring = 0; ring < ringEnds.length; ring++) {
            for (; step < ringEnds[ring]; step++) {
                sum += lattice[cell + steps[step]];
            }
            sums[into + ring * windows.length] = sum;
        }
    }
}
