package io.thalweg.kernel.hex;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the rows of a tile as they come, and gives them back in the order of their slots, which is that of their cells: what a
 * {@link RowSink} keeps of them besides their sums.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class SlotOrder {
    private final HexTiling tiling;
    /** The digits that distinguish the cells of a tile. */
    private final long[] slotDigits;

    private final int[] regularSizes;
    /** By number: those of a row that are not regular. */
    private int[] @Nullable [] diskSizes = new int[64][];

    private boolean regular = true;
    private long tile;

    /** By slot: the number of its row, where there is one. */
    private final int[] numbers;

    /** A bit for each slot: whether it has a row. */
    private final long[] present;

    /** The rows in their order; computed on first use. */
    private final int[] slots;

    private int rows;
    private boolean sorted;

    /** For tiles of a tiling, and rows that have these rings. */
    public SlotOrder(HexTiling tiling, int[] rings) {
        this.tiling = tiling;
        slotDigits = new long[tiling.slots()];
        Arrays.setAll(slotDigits, slot -> tiling.cell(0, slot) ^ tiling.cell(0, 0));
        regularSizes = Arrays.stream(rings).map(HexTiling::regularDiskSize).toArray();
        numbers = new int[tiling.slots()];
        present = new long[(tiling.slots() + Long.SIZE - 1) / Long.SIZE];
        slots = new int[tiling.slots()];
    }

    /** Forgets all rows: those that follow are a tile's. */
    public void begin(long next) {
        tile = next;
        Arrays.fill(present, 0);
        rows = 0;
        sorted = false;
        regular = true;
    }

    /**
     * The number of the next row: 0, 1, 2, ...
     *
     * @param slot one that has no row yet
     * @param sizes true numbers of cells within each ring, or null where all are regular; kept
     */
    public int add(int slot, int @Nullable [] sizes) {
        if (rows == diskSizes.length) {
            diskSizes = Arrays.copyOf(diskSizes, 2 * rows);
        }
        diskSizes[rows] = sizes;
        regular &= sizes == null;
        sorted = false;
        present[slot / Long.SIZE] |= 1L << slot;
        numbers[slot] = rows;
        return rows++;
    }

    /** How many rows have come. */
    public int rows() {
        return rows;
    }

    /** The slot of a row, counted by slot. */
    int slot(int row) {
        sort();
        return slots[row];
    }

    /** The number that a row, counted by slot, was given when it came. */
    public int number(int row) {
        return numbers[slot(row)];
    }

    /** The cells of the rows from {@code from} to {@code to}, counted by slot: a new array. */
    public long[] cells(int from, int to) {
        long[] cells = new long[to - Objects.checkFromToIndex(from, to, rows)];
        long first = tiling.cell(tile, 0);
        for (int row = from; row < to; row++) {
            cells[row - from] = first | slotDigits[slot(row)];
        }
        return cells;
    }

    /**
     * How many cells each disk of the rows from {@code from} to {@code to}, counted by slot, truly has: row by row, one number per
     * ring; a new array, or null only where those of all rows of the tile are regular.
     */
    public int @Nullable [] diskSizes(int from, int to) {
        if (regular) {
            return null;
        }
        int rings = regularSizes.length;
        int[] some = new int[(to - Objects.checkFromToIndex(from, to, rows)) * rings];
        for (int row = from; row < to; row++) {
            int[] own = diskSizes[number(row)];
            System.arraycopy(own == null ? regularSizes : own, 0, some, (row - from) * rings, rings);
        }
        return some;
    }

    private void sort() {
        if (sorted) {
            return;
        }
        int row = 0;
        for (int word = 0; word < present.length; word++) {
            for (long left = present[word]; left != 0; left &= left - 1) {
                slots[row++] = word * Long.SIZE + Long.numberOfTrailingZeros(left);
            }
        }
        sorted = true;
    }
}
