package io.thalweg.server.region;

import io.thalweg.kernel.hex.HexTiling;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Combines the rows of cells into rows of the coarser cells that contain them. Cells ascend, so those of one coarser cell are
 * adjacent. Cells of the region without a row count as zero; cells whose values are unknown are left out.
 *
 * <p><b>Threads.</b> One.
 */
final class Aggregation {
    private final ScanRequest.Aggregate how;
    private final ScanRows rows;
    private final double[] combined;
    private final Map<Long, Integer> sizes = new HashMap<>();
    private long @Nullable [] cells;
    private int group;
    private long coarser;
    private int present;
    private int unknown;

    /**
     * Creates an aggregation that has not combined any rows yet.
     *
     * @param values of a row
     * @param rows takes the rows of the coarser cells
     */
    Aggregation(ScanRequest.Aggregate how, int values, ScanRows rows) {
        this.how = how;
        this.rows = rows;
        this.combined = new double[values];
    }

    /** Begins a group: the rows that follow are of these cells. */
    void begin(int next, long[] of) {
        group = next;
        if (cells != of) {
            cells = of;
            sizes.clear();
            for (long cell : of) {
                sizes.merge(HexTiling.ancestor(cell, how.resolution()), 1, Integer::sum);
            }
        }
    }

    void add(long cell, double[] values) {
        moveTo(cell);
        present++;
        for (int i = 0; i < combined.length; i++) {
            combined[i] = how.by() == ScanRequest.By.MAX ? Math.max(combined[i], values[i]) : combined[i] + values[i];
        }
    }

    /** Records that the values of a cell are unknown. */
    void unknown(long cell) {
        moveTo(cell);
        unknown++;
    }

    private void moveTo(long cell) {
        long above = HexTiling.ancestor(cell, how.resolution());
        if (above != coarser) {
            end();
            coarser = above;
        }
    }

    /** Ends the group. */
    void end() {
        if (present > 0) {
            int known = sizes.getOrDefault(coarser, 0) - unknown;
            for (int i = 0; i < combined.length && how.by() == ScanRequest.By.MEAN; i++) {
                combined[i] /= known;
            }
            rows.add(group, coarser, known, present, combined);
        }
        Arrays.fill(combined, 0);
        present = 0;
        unknown = 0;
        coarser = 0;
    }
}
