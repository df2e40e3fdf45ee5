package io.thalweg.kernel.keyed;

import java.util.Arrays;

/**
 * Keys to be read together, and where their rows then stand. To prepare them needs no shard, so it can be done where there is time.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class KeyedReads {
    private static final int ABSENT = -1;
    private static final byte[] NO_BYTES = {};

    final long[] words;
    /** The upper halves of keys of 128 bits. */
    final long[] seconds;
    /** Keys of bytes. */
    final byte[][] bytes;

    private final int[] rows;

    /** So many keys, each of which is to be set. */
    public KeyedReads(int keys) {
        words = new long[keys];
        seconds = new long[keys];
        bytes = new byte[keys][];
        rows = new int[keys];
        Arrays.fill(bytes, NO_BYTES);
        Arrays.fill(rows, ABSENT);
    }

    /** Sets a key of 64 bits. */
    public void set(int key, long low) {
        words[key] = KeyWord.of(low);
    }

    /** Sets a key of 128 bits. */
    public void set(int key, long high, long low) {
        words[key] = KeyWord.of(high, low);
        seconds[key] = high;
    }

    /** Sets a key of bytes. */
    public void set(int key, byte[] encoded) {
        bytes[key] = encoded;
    }

    /** The row that was read of a key, or a negative number where it has none. */
    public int row(int key) {
        return rows[key];
    }

    void found(int key, int row) {
        rows[key] = row;
    }

    void absent(int key) {
        rows[key] = ABSENT;
    }
}
