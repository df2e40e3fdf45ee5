package io.thalweg.kernel.hex;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The feature rows of one tile and group at one window end.
 *
 * <p><b>Shape.</b> Rows ascend by H3 index. A row holds one integer sum per feature, rings outer, windows inner: feature
 * {@code r * windows + w}. The sums are not yet divided by disk size and window length.
 *
 * <p><b>Threads.</b> A view of the scratch memory of the {@link TileFeatures} that made it: same thread, and valid until its
 * next {@code assemble}. What {@code cells}, {@code sums} and {@code diskSizes} give are copies to keep.
 */
public final class TileRows {
    /** Writes the sums of one row. */
    @FunctionalInterface
    interface RowSums {
        void copy(int row, long[] into, int at);
    }

    private final int features;
    private final long[] rowSums;
    private long[] cells = new long[64];
    private int rows;
    private int readRow = -1;
    private RowSums source = (row, into, at) -> {};
    private int @Nullable [] diskSizes;

    TileRows(int features) {
        this.features = features;
        this.rowSums = new long[features];
    }

    /** Number of rows. */
    public int rows() {
        return rows;
    }

    /** Number of sums of a row. */
    public int features() {
        return features;
    }

    /** The cell of a row. */
    public long cell(int row) {
        return cells[checked(row)];
    }

    /** One sum of a row; cheapest when rows are read in order, all features of one before the next. */
    public long sum(int row, int feature) {
        if (checked(row) != readRow) {
            source.copy(row, rowSums, 0);
            readRow = row;
        }
        return rowSums[feature];
    }

    /** The cells of all rows: a new array of {@link #rows()}. */
    public long[] cells() {
        return cells(0, rows);
    }

    /** The cells of the rows from {@code from} to {@code to}: a new array. */
    public long[] cells(int from, int to) {
        return Arrays.copyOfRange(cells, Objects.checkFromToIndex(from, to, rows), to);
    }

    /** Writes the sums of one row to {@code into}, from {@code at} on. */
    public void copySums(int row, long[] into, int at) {
        source.copy(checked(row), into, at);
    }

    /** The sums of all rows, row by row: a new array of {@code rows() * features()}. */
    public long[] sums() {
        return sums(0, rows);
    }

    /** The sums of the rows from {@code from} to {@code to}, row by row: a new array. */
    public long[] sums(int from, int to) {
        long[] sums = new long[(to - Objects.checkFromToIndex(from, to, rows)) * features];
        for (int row = from; row < to; row++) {
            source.copy(row, sums, (row - from) * features);
        }
        return sums;
    }

    /**
     * How many cells each disk truly has: row by row, one number per ring; null where all disks of all rows are regular,
     * {@code 1 + 3R(R+1)}. Not reused: may be kept.
     */
    public int @Nullable [] diskSizes() {
        return diskSizes;
    }

    private int checked(int row) {
        if (row < 0 || row >= rows) {
            throw new IndexOutOfBoundsException("row " + row + " of " + rows);
        }
        return row;
    }

    void begin(RowSums sums) {
        source = sums;
        rows = 0;
        readRow = -1;
        diskSizes = null;
    }

    void add(long cell) {
        if (rows == cells.length) {
            cells = Arrays.copyOf(cells, rows * 2);
        }
        cells[rows++] = cell;
    }

    void diskSizes(int[] sizes) {
        diskSizes = sizes;
    }
}
