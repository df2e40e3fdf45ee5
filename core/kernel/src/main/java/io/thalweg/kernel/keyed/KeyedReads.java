package io.thalweg.kernel.keyed;

import java.util.Arrays;

/**
 * Keys to be read together, and the numbers of their rows afterwards. Preparing them does not need the shard, so any thread can
 * do it.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class KeyedReads {
    private static final int ABSENT = -1;
    private static final byte[] NO_BYTES = {};

    final long[] words;
    /** The upper halves of 128-bit keys. */
    final long[] seconds;
    /** The byte keys. */
    final byte[][] bytes;

    private final int[] rows;

    /** Creates reads of this many keys, each of which must be set. */
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

    /** Sets a byte key. */
    public void set(int key, byte[] encoded) {
        bytes[key] = encoded;
    }

    /** The number of the row that was read for a key, or a negative number if it has none. */
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
