package io.thalweg.store;

import io.thalweg.model.view.FeatureView;

/**
 * Groups of up to 49 cells of a view that share their ancestor two levels up. Stores keep the rows of a group together: a tile's
 * rows arrive cell by cell, so most of a group arrives at once.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Neighbourhoods {
    private static final int LEVELS = 2;
    private static final int RESOLUTION_AT = 52;

    private final int slots;
    private final int slotAt;
    private final long parentBits;

    /** Creates the groups of a view's cells; a keyed view has none. */
    public Neighbourhoods(FeatureView view) {
        this(view, LEVELS);
    }

    /** Creates smaller groups: up to 7 cells that share their parent, or single cells. {@code levels}: 2, 1 or 0. */
    public Neighbourhoods(FeatureView view, int levels) {
        int resolution = view.isKeyed() ? 15 : view.cell().resolution();
        slots = 1 << (3 * levels);
        slotAt = 3 * (15 - resolution);
        parentBits = ((long) resolution ^ (resolution - levels)) << RESOLUTION_AT;
    }

    /** The ancestor (H3 index) that a cell shares with its group. */
    public long parent(long cell) {
        return (cell | ((slots - 1L) << slotAt)) ^ parentBits;
    }

    /** Identifies a cell within its group: the last two digits of its index as a decimal number, 0 to 66. */
    public int digits(long cell) {
        int slot = (int) (cell >>> slotAt) & (slots - 1);
        return 10 * (slot >>> 3) + (slot & 7);
    }

    /** Returns the index after the last of the cells, which ascend, that share the parent of the one at {@code from}. */
    public int end(long[] cells, int from) {
        long parent = parent(cells[from]);
        int end = from + 1;
        while (end < cells.length && parent(cells[end]) == parent) {
            end++;
        }
        return end;
    }
}
