package io.thalweg.kernel.hex;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the rows of a tile in order of arrival, and returns them in the order of their slots, which is that of their cells. A
 * {@link RowSink} keeps it besides the sums of the rows.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class SlotOrder {
    private final HexTiling tiling;
    /** The digits that distinguish the cells of a tile. */
    private final long[] slotDigits;

    private final int[] regularSizes;
    /** By number: the disk sizes of a row, or null if they are regular. */
    private int[] @Nullable [] diskSizes = new int[64][];

    private boolean regular = true;
    private long tile;

    /** By slot: the number of its row, if there is one. */
    private final int[] numbers;

    /** A bit for each slot: whether it has a row. */
    private final long[] present;

    /** The rows in their order; computed on first use. */
    private final int[] slots;

    private int rows;
    private boolean sorted;

    /** Creates an order for tiles of a tiling and rows with these rings. */
    public SlotOrder(HexTiling tiling, int[] rings) {
        this.tiling = tiling;
        slotDigits = new long[tiling.slots()];
        Arrays.setAll(slotDigits, slot -> tiling.cell(0, slot) ^ tiling.cell(0, 0));
        regularSizes = Arrays.stream(rings).map(HexTiling::regularDiskSize).toArray();
        numbers = new int[tiling.slots()];
        present = new long[(tiling.slots() + Long.SIZE - 1) / Long.SIZE];
        slots = new int[tiling.slots()];
    }

    /** Removes all rows and begins those of a tile. */
    public void begin(long next) {
        tile = next;
        Arrays.fill(present, 0);
        rows = 0;
        sorted = false;
        regular = true;
    }

    /**
     * Adds a row and returns its number: 0, 1, 2, ...
     *
     * @param slot a slot that has no row yet
     * @param sizes the actual numbers of cells within each ring, or null if all are regular; retained
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

    /** The number of rows so far. */
    public int rows() {
        return rows;
    }

    /** Returns the slot of a row, in slot order. */
    int slot(int row) {
        sort();
        return slots[row];
    }

    /** Returns the number that {@link #add} returned for a row, in slot order. */
    public int number(int row) {
        return numbers[slot(row)];
    }

    /** Returns the cells of the rows from {@code from} to {@code to}, in slot order, in a new array. */
    public long[] cells(int from, int to) {
        long[] cells = new long[to - Objects.checkFromToIndex(from, to, rows)];
        long first = tiling.cell(tile, 0);
        for (int row = from; row < to; row++) {
            cells[row - from] = first | slotDigits[slot(row)];
        }
        return cells;
    }

    /**
     * Returns the actual number of cells of each disk of the rows from {@code from} to {@code to}, in slot order: row by row, one
     * number per ring, in a new array. Null only if the disks of all rows of the tile are regular.
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
