package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Iterates over all keys of a shard, one range of first words per turn. All tables keep that order, so a range contains the same
 * keys in each.
 */
final class KeyRanges {
    private static final int ENTRIES = 2048;
    private static final int BITS_MOST = 24;

    private int next;
    private int bits;

    KeyRanges copy() {
        KeyRanges copy = new KeyRanges();
        copy.next = next;
        copy.bits = bits;
        return copy;
    }

    /** Begins at the first range; a range has a few thousand of this many entries. */
    void begin(long entries) {
        next = 0;
        bits = Math.min(BITS_MOST, 64 - Long.numberOfLeadingZeros(entries / ENTRIES));
    }

    /** Returns the entries of the current range of a table. */
    WordTable.Cursor of(WordTable table) {
        return table.range(next, bits);
    }

    /** Releases spare room in the current range of a table. */
    void trim(WordTable table) {
        table.trim(next, bits);
    }

    /** Moves to the next range; returns false if the current one was the last. */
    boolean advance() {
        next++;
        return next < 1 << bits;
    }

    /** Whether a word is in a range before the current one. */
    boolean isPassed(long word) {
        return bits == 0 ? next > 0 : (word ^ Long.MIN_VALUE) >>> (64 - bits) < next;
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(next);
        out.writeByte(bits);
    }

    void read(DataInput in) throws IOException {
        next = in.readInt();
        bits = in.readByte();
    }
}
