package io.thalweg.records.json;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The keys of one map so far, to find duplicates.
 *
 * <p><b>Memory.</b> A copy of the keys and 20 bytes per key, for the largest map so far; both are bounded by the size of a
 * message.
 *
 * <p><b>Cost.</b> Constant per key, even for keys chosen to collide, because hashes have a random seed.
 */
final class JsonKeys {
    private static final int SMALLEST = 16;

    private final long seed = ThreadLocalRandom.current().nextLong();
    private byte[] bytes = new byte[256];
    /** The end of each key in {@link #bytes}. */
    private int[] ends = new int[SMALLEST / 2];

    private long[] hashes = new long[SMALLEST / 2];
    /** An open hash table of positions, plus one; only the first {@link #mask} + 1 are in use. */
    private int[] table = new int[SMALLEST];

    private int mask = SMALLEST - 1;
    private int size;

    /** Starts a map. */
    void clear() {
        size = 0;
        mask = SMALLEST - 1;
        Arrays.fill(table, 0, SMALLEST, 0);
    }

    /** Adds a key; returns false if it is a duplicate. */
    boolean add(byte[] data, int from, int length) {
        long hash = JsonNames.hash(seed, data, from, length);
        int slot = (int) (hash >>> 32) & mask;
        while (table[slot] != 0) {
            int key = table[slot] - 1;
            if (hashes[key] == hash && isKey(key, data, from, length)) {
                return false;
            }
            slot = slot + 1 & mask;
        }
        append(hash, data, from, length);
        table[slot] = size;
        if (size * 2 > mask) {
            grow();
        }
        return true;
    }

    private boolean isKey(int key, byte[] data, int from, int length) {
        return Arrays.equals(bytes, begin(key), ends[key], data, from, from + length);
    }

    private int begin(int key) {
        return key == 0 ? 0 : ends[key - 1];
    }

    private void append(long hash, byte[] data, int from, int length) {
        int begin = begin(size);
        if (bytes.length - begin < length) {
            bytes = Arrays.copyOf(bytes, Math.max(begin + length, bytes.length * 2));
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, size * 2);
            hashes = Arrays.copyOf(hashes, size * 2);
        }
        System.arraycopy(data, from, bytes, begin, length);
        ends[size] = begin + length;
        hashes[size++] = hash;
    }

    private void grow() {
        int slots = (mask + 1) * 2;
        if (slots > table.length) {
            table = new int[slots];
        } else {
            Arrays.fill(table, 0, slots, 0);
        }
        mask = slots - 1;
        for (int key = 0; key < size; key++) {
            int slot = (int) (hashes[key] >>> 32) & mask;
            while (table[slot] != 0) {
                slot = slot + 1 & mask;
            }
            table[slot] = key + 1;
        }
    }
}
