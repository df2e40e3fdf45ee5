package io.thalweg.kernel.pane;

import io.thalweg.kernel.table.Mix;
import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One pane of one shard while it fills: distinct identities per cell, and the count of each cell.
 *
 * <p><b>Shape.</b> A cell is a lot (the pane's number for a tile and group, from {@link #lot}) and a slot inside the tile.
 *
 * <p><b>Threads.</b> One writer. Another thread may read an instance that was {@linkplain #copy copied} as long as no thread
 * writes to that instance any more.
 *
 * <p><b>Cost.</b> An identity takes about 28–36 bytes, once per cell. The pane is dropped as a whole; its sets are never iterated.
 */
public final class OpenPane {
    private final int slots;
    private final List<TileGroup> entries;
    private final Map<TileGroup, Integer> lotNumbers;
    /** Pairs of cell and identity: the cell mixed with the identity, then the identity. */
    private final WordTable ids;
    /** Cell, mixed, and count. */
    private final WordTable counts;

    /**
     * Creates an empty pane.
     *
     * @param slots the number of cells in a tile
     */
    public OpenPane(int slots) {
        this(slots, new ArrayList<>(), new HashMap<>(), new WordTable(3, 0), new WordTable(1, 1));
    }

    private OpenPane(
            int slots, List<TileGroup> entries, Map<TileGroup, Integer> lotNumbers, WordTable ids, WordTable counts) {
        this.slots = slots;
        this.entries = entries;
        this.lotNumbers = lotNumbers;
        this.ids = ids;
        this.counts = counts;
    }

    /** Returns a copy that shares the segments of the tables. */
    public OpenPane copy() {
        return new OpenPane(slots, new ArrayList<>(entries), new HashMap<>(lotNumbers), ids.copy(), counts.copy());
    }

    /** Returns this pane's number for a tile and group, and assigns one to a new tile and group. */
    public int lot(TileGroup tileGroup) {
        Integer known = lotNumbers.get(tileGroup);
        if (known != null) {
            return known;
        }
        entries.add(tileGroup);
        lotNumbers.put(tileGroup, entries.size() - 1);
        return entries.size() - 1;
    }

    /** Counts an identity in a cell, once. */
    public void addDistinct(int lot, int slot, long idHi, long idLo) {
        long cell = cell(lot, slot);
        long word = Mix.pair(cell, idHi ^ Mix.mix(idLo));
        if (!ids.find(word, idHi, idLo, 0)) {
            ids.add(word, idHi, idLo, 0);
            count(cell);
        }
    }

    /** Counts an event in a cell. */
    public void addEvent(int lot, int slot) {
        count(cell(lot, slot));
    }

    private void count(long cell) {
        counts.increment(Mix.mix(cell), 1);
    }

    /** The count of a cell so far. */
    public long count(TileGroup tileGroup, int slot) {
        Integer lot = lotNumbers.get(tileGroup);
        return lot != null && counts.find(Mix.mix(cell(lot, slot))) ? counts.words()[counts.at() + 1] : 0;
    }

    /** The number of cells that have a count. */
    public long cells() {
        return counts.size();
    }

    /** The number of bytes of the tables. */
    public long bytes() {
        return ids.bytes() + counts.bytes();
    }

    /** Returns the counts of each tile and group, slots ascending, as the contribution of the pane to its own tiles. */
    public List<PaneSlice> slices(long pane) {
        long[][] perLot = new long[entries.size()][];
        int[] filled = new int[entries.size()];
        for (WordTable.Cursor each = counts.all(); each.next(); ) {
            long cell = Mix.unmix(each.words()[each.at()]);
            int lot = (int) (cell / slots);
            long slotAndCount = (cell % slots) << 32 | checkedCount(each.words()[each.at() + 1]);
            long[] pairs = perLot[lot];
            if (pairs == null) {
                pairs = new long[16];
            } else if (filled[lot] == pairs.length) {
                pairs = Arrays.copyOf(pairs, pairs.length * 2);
            }
            pairs[filled[lot]++] = slotAndCount;
            perLot[lot] = pairs;
        }
        List<PaneSlice> slices = new ArrayList<>(entries.size());
        for (int lot = 0; lot < perLot.length; lot++) {
            if (filled[lot] > 0) {
                Arrays.sort(perLot[lot], 0, filled[lot]);
                slices.add(slice(entries.get(lot), pane, perLot[lot], filled[lot]));
            }
        }
        return slices;
    }

    private static PaneSlice slice(TileGroup owner, long pane, long[] pairs, int length) {
        int[] slots = new int[length];
        int[] counts = new int[length];
        for (int i = 0; i < length; i++) {
            slots[i] = (int) (pairs[i] >>> 32);
            counts[i] = (int) pairs[i];
        }
        return new PaneSlice(owner, owner.tile(), pane, slots, counts);
    }

    private static long checkedCount(long count) {
        if (count > Integer.MAX_VALUE) {
            throw new ArithmeticException("a cell's count in one pane must fit into 31 bits, was " + count);
        }
        return count;
    }

    private long cell(int lot, int slot) {
        return (long) lot * slots + slot;
    }

    /** Writes the tables as raw entries. */
    public void write(DataOutput out) throws IOException {
        out.writeInt(entries.size());
        for (TileGroup lot : entries) {
            lot.write(out);
        }
        ids.write(out);
        counts.write(out);
    }

    /** Reads what {@link #write} wrote. */
    public static OpenPane read(DataInput in, int slots) throws IOException {
        List<TileGroup> entries = new ArrayList<>();
        Map<TileGroup, Integer> lotNumbers = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            TileGroup lot = TileGroup.read(in);
            lotNumbers.put(lot, entries.size());
            entries.add(lot);
        }
        return new OpenPane(slots, entries, lotNumbers, WordTable.read(in, 3, 0), WordTable.read(in, 1, 1));
    }
}
