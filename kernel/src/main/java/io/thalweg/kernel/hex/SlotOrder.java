package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * Numbers the rows of a tile as they come, and gives them back in the order of their slots, which is that of their cells.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class SlotOrder {
    private static final int NONE = -1;

    /** By slot. */
    private final int[] numbers;

    private final int[] slots;
    private int rows;
    private boolean sorted;

    /** For tiles of a tiling. */
    public SlotOrder(HexTiling tiling) {
        numbers = new int[tiling.slots()];
        slots = new int[tiling.slots()];
        Arrays.fill(numbers, NONE);
    }

    /** Forgets all rows. */
    public void clear() {
        for (int row = 0; row < rows; row++) {
            numbers[slots[row]] = NONE;
        }
        rows = 0;
        sorted = false;
    }

    /** The number of the next row: 0, 1, 2, ... */
    public int add(int slot) {
        sorted = false;
        slots[rows] = slot;
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
        if (!sorted) {
            Arrays.sort(slots, 0, rows);
            sorted = true;
        }
    }
}
