package io.thalweg.kernel.pane;

import io.thalweg.kernel.table.Mix;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * A tile together with one value of the view's other entities: the unit for which panes are kept and features assembled.
 *
 * @param tile the H3 index of the tile
 * @param group the canonical bytes of the group; must not be modified after they are handed over
 */
public record TileGroup(long tile, byte[] group) {
    @Override
    public boolean equals(Object other) {
        return other instanceof TileGroup that && tile == that.tile && Arrays.equals(group, that.group);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(Mix.mix(tile)) * 31 + Arrays.hashCode(group);
    }

    @Override
    public String toString() {
        return Long.toHexString(tile) + "/" + java.util.HexFormat.of().formatHex(group);
    }

    /** Writes the tile and the group's bytes with their length. */
    public void write(DataOutput out) throws IOException {
        out.writeLong(tile);
        out.writeInt(group.length);
        out.write(group);
    }

    /** Reads what {@link #write} wrote. */
    public static TileGroup read(DataInput in) throws IOException {
        long tile = in.readLong();
        byte[] group = new byte[in.readInt()];
        in.readFully(group);
        return new TileGroup(tile, group);
    }
}
