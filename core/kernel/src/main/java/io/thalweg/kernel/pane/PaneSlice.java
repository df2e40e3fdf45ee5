package io.thalweg.kernel.pane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The counts of one closed pane that a tile contributes to another tile or to itself, as sparse pairs of slot and count.
 *
 * @param to the tile and group whose features need the counts
 * @param from H3 index of the tile that owns the cells
 * @param pane the pane that was counted
 * @param slots the slots of the cells in {@code from}, ascending
 * @param counts one count per slot, each above 0
 */
public record PaneSlice(TileGroup to, long from, long pane, int[] slots, int[] counts) {

    /** Writes slots as differences, and all numbers as variable-length integers. */
    public void write(DataOutput out) throws IOException {
        to.write(out);
        out.writeLong(from);
        out.writeLong(pane);
        writeSparse(out, slots, counts);
    }

    /** Reads what {@link #write} wrote. */
    public static PaneSlice read(DataInput in) throws IOException {
        TileGroup to = TileGroup.read(in);
        long from = in.readLong();
        long pane = in.readLong();
        int[] slots = new int[VarInts.read(in)];
        int[] counts = new int[slots.length];
        readSparse(in, slots, counts);
        return new PaneSlice(to, from, pane, slots, counts);
    }

    private static void writeSparse(DataOutput out, int[] ascending, int[] counts) throws IOException {
        VarInts.write(out, ascending.length);
        int last = 0;
        for (int i = 0; i < ascending.length; i++) {
            VarInts.write(out, ascending[i] - last);
            VarInts.write(out, counts[i]);
            last = ascending[i];
        }
    }

    private static void readSparse(DataInput in, int[] ascending, int[] counts) throws IOException {
        int last = 0;
        for (int i = 0; i < ascending.length; i++) {
            last += VarInts.read(in);
            ascending[i] = last;
            counts[i] = VarInts.read(in);
        }
    }
}
