package io.thalweg.server.region;

import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a scan, column by column, in the order they arrive or, with a top, the greatest first. Rows beyond the maximum are
 * counted, but not kept.
 *
 * <p><b>Threads.</b> One.
 */
final class ScanRows {
    private final int features;
    private final int most;
    private final int top;
    private final boolean aggregated;

    private int size;
    private long offered;
    private long[] cells = new long[64];
    private int[] groups = new int[64];
    private ReadStatus[] statuses = new ReadStatus[64];
    private @Nullable Finality[] finalities = new Finality[64];
    private long[] ends = new long[64];
    private int[] counted = new int[64];
    private int[] present = new int[64];
    private double[] ranks = new double[64];
    private double[] values;

    /**
     * Creates an empty set of rows.
     *
     * @param features the number of values of a row
     * @param most rows that are kept
     * @param top rows that are kept with a top; 0 = there is none
     * @param aggregated whether a row is of several cells
     */
    ScanRows(int features, int most, int top, boolean aggregated) {
        this.features = features;
        this.most = top == 0 ? most : Integer.MAX_VALUE;
        this.top = top;
        this.aggregated = aggregated;
        this.values = new double[64 * features];
    }

    /**
     * Adds the row of a cell.
     *
     * @param picked its values and, with a top, followed by the value that ranks it; NaN where there is none
     */
    void add(int group, long cell, ReadStatus status, @Nullable Finality finality, long endMs, double[] picked) {
        if (begin(group, cell, picked)) {
            statuses[size] = status;
            finalities[size] = finality;
            ends[size] = endMs;
            end();
        }
    }

    /**
     * Adds the row of several cells.
     *
     * @param ofCells cells whose values are known
     * @param ofPresent those of them that are not zero
     */
    void add(int group, long cell, int ofCells, int ofPresent, double[] picked) {
        if (begin(group, cell, picked)) {
            statuses[size] = ReadStatus.PRESENT;
            ends[size] = ReadOutcome.NONE;
            counted[size] = ofCells;
            present[size] = ofPresent;
            end();
        }
    }

    private boolean begin(int group, long cell, double[] picked) {
        offered++;
        if (size == most) {
            return false;
        }
        if (size == cells.length) {
            grow();
        }
        groups[size] = group;
        cells[size] = cell;
        System.arraycopy(picked, 0, values, size * features, features);
        ranks[size] = top == 0 ? 0 : picked[features];
        return true;
    }

    /** Counts the row. With a top, a row may be dropped only when as many others are known to be greater. */
    private void end() {
        size++;
        if (top > 0 && size >= Math.max(1_024, 2 * top)) {
            keepTop();
        }
    }

    private void grow() {
        int more = 2 * size;
        cells = Arrays.copyOf(cells, more);
        groups = Arrays.copyOf(groups, more);
        statuses = Arrays.copyOf(statuses, more);
        finalities = Arrays.copyOf(finalities, more);
        ends = Arrays.copyOf(ends, more);
        counted = Arrays.copyOf(counted, more);
        present = Arrays.copyOf(present, more);
        ranks = Arrays.copyOf(ranks, more);
        values = Arrays.copyOf(values, more * features);
    }

    /** Sorts the rows by rank and keeps the greatest; of equal ones the first. */
    private void keepTop() {
        int[] order = IntStream.range(0, size)
                .boxed()
                .sorted((a, b) -> Double.compare(ranks[b], ranks[a]))
                .limit(top)
                .mapToInt(row -> row)
                .toArray();
        cells = Arrays.stream(order).mapToLong(row -> cells[row]).toArray();
        groups = Arrays.stream(order).map(row -> groups[row]).toArray();
        ReadStatus[] oldStatuses = statuses;
        @Nullable Finality[] oldFinalities = finalities;
        double[] oldRanks = ranks;
        double[] oldValues = values;
        statuses = Arrays.stream(order).mapToObj(row -> oldStatuses[row]).toArray(ReadStatus[]::new);
        finalities = Arrays.stream(order).mapToObj(row -> oldFinalities[row]).toArray(Finality[]::new);
        ends = Arrays.stream(order).mapToLong(row -> ends[row]).toArray();
        counted = Arrays.stream(order).map(row -> counted[row]).toArray();
        present = Arrays.stream(order).map(row -> present[row]).toArray();
        ranks = Arrays.stream(order).mapToDouble(row -> oldRanks[row]).toArray();
        values = new double[order.length * features];
        for (int row = 0; row < order.length; row++) {
            System.arraycopy(oldValues, order[row] * features, values, row * features, features);
        }
        size = order.length;
    }

    /** Finishes the rows after the last one is added. */
    ScanRows done() {
        if (top > 0) {
            keepTop();
        }
        return this;
    }

    /** The number of rows that are kept. */
    int size() {
        return size;
    }

    /** The number of rows that were added. */
    long offered() {
        return offered;
    }

    boolean isAggregated() {
        return aggregated;
    }

    int features() {
        return features;
    }

    long cell(int row) {
        return cells[row];
    }

    /** The position of its group among those of the answer. */
    int group(int row) {
        return groups[row];
    }

    ReadStatus status(int row) {
        return statuses[row];
    }

    @Nullable
    Finality finality(int row) {
        return finalities[row];
    }

    /** Epoch ms, or {@link ReadOutcome#NONE}. */
    long endMs(int row) {
        return ends[row];
    }

    /** For an aggregated row, the number of cells whose values are known. */
    int counted(int row) {
        return counted[row];
    }

    /** For an aggregated row, the number of cells that are not zero. */
    int present(int row) {
        return present[row];
    }

    /** A value; NaN where there is none. */
    double value(int row, int feature) {
        return values[row * features + feature];
    }
}
