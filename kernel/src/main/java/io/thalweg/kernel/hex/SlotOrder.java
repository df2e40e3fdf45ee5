package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * Numbers the rows of a tile as they come, and gives them back in the order of their slots, which is that of their cells.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class SlotOrder {
    /** By slot: the number of its row, where there is one. */
    private final int[] numbers;

    /** A bit for each slot: whether it has a row. */
    private final long[] present;

    /** Of the rows in their order, once they were asked for. */
    private final int[] slots;

    private int rows;
    private boolean sorted;

    /** For tiles of a tiling. */
    public SlotOrder(HexTiling tiling) {
        numbers = new int[tiling.slots()];
        present = new long[(tiling.slots() + Long.SIZE - 1) / Long.SIZE];
        slots = new int[tiling.slots()];
    }

    /** Forgets all rows. */
    public void clear() {
        Arrays.fill(present, 0);
        rows = 0;
        sorted = false;
    }

    /**
     * The number of the next row: 0, 1, 2, ...
     *
     * @param slot one that has no row yet
     */
    public int add(int slot) {
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
    public int slot(int row) {
        sort();
        return slots[row];
    }

    /** The number that a row, counted by slot, was given when it came. */
    public int number(int row) {
        return numbers[slot(row)];
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
