package io.thalweg.kernel.hex;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The feature rows of one tile and group at one window end.
 *
 * <p><b>Shape.</b> Rows ascend by H3 index. A row has one integer sum per feature, rings outer, windows inner: feature
 * {@code r * windows + w}. The sums are not yet divided by disk size and window length.
 *
 * <p><b>Threads.</b> Scratch memory of the {@link TileFeatures} that created it: same thread, and valid until its next {@code
 * assemble}. {@code cells}, {@code sums} and {@code diskSizes} return copies.
 */
public final class TileRows implements RowSink {
    private final int rings;
    private final int windows;
    private final int features;
    private final SlotOrder order;
    /** By number: the steps of rows that arrived as steps. */
    private int[] steps;

    /** By number: the sums of the other rows. */
    private long[] @Nullable [] sums = new long[64][];

    TileRows(HexTiling tiling, int[] rings, int windows) {
        this.rings = rings.length;
        this.windows = windows;
        this.features = rings.length * windows;
        this.order = new SlotOrder(tiling, rings);
        this.steps = new int[64 * rings.length * LANES];
    }

    @Override
    public void begin(long tile) {
        order.begin(tile);
    }

    @Override
    public void row(int slot, int[] from, int at, int ringStride) {
        int to = add(slot, null, null) * rings * LANES;
        for (int ring = 0; ring < rings; ring++) {
            System.arraycopy(from, at + ring * ringStride, steps, to + ring * LANES, LANES);
        }
    }

    @Override
    public void row(int slot, long[] from, int at, int @Nullable [] sizes) {
        add(slot, Arrays.copyOfRange(from, at, at + features), sizes);
    }

    /** Adds a row and returns its number. */
    private int add(int slot, long @Nullable [] rowSums, int @Nullable [] sizes) {
        int number = order.add(slot, sizes);
        if (number == sums.length) {
            steps = Arrays.copyOf(steps, 2 * steps.length);
            sums = Arrays.copyOf(sums, 2 * number);
        }
        sums[number] = rowSums;
        return number;
    }

    /** The number of rows. */
    public int rows() {
        return order.rows();
    }

    /** The number of sums of a row. */
    public int features() {
        return features;
    }

    /** The cell of a row. */
    public long cell(int row) {
        return order.cells(row, row + 1)[0];
    }

    /** One sum of a row. */
    public long sum(int row, int feature) {
        Objects.checkIndex(feature, features);
        int number = order.number(checked(row));
        long[] own = sums[number];
        if (own != null) {
            return own[feature];
        }
        long sum = 0;
        int ringAt = (number * rings + feature / windows) * LANES;
        for (int at = ringAt; at <= ringAt + feature % windows; at++) {
            sum += steps[at];
        }
        return sum;
    }

    /** Returns the cells of all rows in a new array of length {@link #rows()}. */
    public long[] cells() {
        return cells(0, rows());
    }

    /** Returns the cells of the rows from {@code from} to {@code to} in a new array. */
    public long[] cells(int from, int to) {
        return order.cells(from, to);
    }

    /** Returns the sums of all rows, row by row, in a new array of length {@code rows() * features()}. */
    public long[] sums() {
        return sums(0, rows());
    }

    /** Returns the sums of the rows from {@code from} to {@code to}, row by row, in a new array. */
    public long[] sums(int from, int to) {
        long[] some = new long[(to - Objects.checkFromToIndex(from, to, rows())) * features];
        for (int row = from; row < to; row++) {
            copy(order.number(row), some, (row - from) * features);
        }
        return some;
    }

    private void copy(int number, long[] into, int at) {
        long[] own = sums[number];
        if (own != null) {
            System.arraycopy(own, 0, into, at, features);
        } else {
            RowSink.sums(steps, number * rings * LANES, LANES, rings, windows, into, at);
        }
    }

    /**
     * Returns the actual number of cells of each disk: row by row, one number per ring, in a new array. Null if all disks of all
     * rows are regular, {@code 1 + 3R(R+1)}.
     */
    public int @Nullable [] diskSizes() {
        return diskSizes(0, rows());
    }

    /** The same for the rows from {@code from} to {@code to}; null only if the disks of all rows are regular. */
    public int @Nullable [] diskSizes(int from, int to) {
        return order.diskSizes(from, to);
    }

    private int checked(int row) {
        return Objects.checkIndex(row, rows());
    }
}
