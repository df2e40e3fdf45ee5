package io.thalweg.verify;

import io.thalweg.formats.view.Murmur3Id128;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Fingerprints of the expected rows: 128 bits for the key and window end of a row, 64 bits for its values. Millions of
 * fingerprints fit in memory where a hundred thousand rows would not. A difference goes undetected in one case in 2^64.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
/*
 * Many small tables with open addressing over columns of longs, linear probing, at most three quarters full. Each grows
 * independently, so that growing never needs twice the memory. A first half of 0 marks a free slot; a key whose first half is 0
 * is stored with 1 instead, which costs one bit of one key in 2^64.
 */
final class RowFingerprints {
    /** The result of matching a row of a file. */
    enum Match {
        EQUAL,
        DIFFERENT,
        UNEXPECTED,
        REPEATED
    }

    private static final int PARTS = 256;

    private final GroupCodec groups;
    private final Murmur3Id128 hash = new Murmur3Id128();
    private final Part[] parts = new Part[PARTS];
    private int size;

    /** One of the tables. */
    private static final class Part {
        private long[] keyHi = new long[64];
        private long[] keyLo = new long[64];
        private long[] values = new long[64];
        private boolean[] seen = new boolean[64];
        private int size;

        /** Returns the slot of a key, or the free slot for it. */
        int find(long hi, long lo) {
            int at = (int) (((lo >>> 32) * keyHi.length) >>> 32);
            while (keyHi[at] != 0 && (keyHi[at] != hi || keyLo[at] != lo)) {
                at = at + 1 == keyHi.length ? 0 : at + 1;
            }
            return at;
        }

        /** Stores a value; returns whether the key is new. */
        boolean put(long hi, long lo, long value) {
            if (4L * (size + 1) > 3L * keyHi.length) {
                grow();
            }
            int at = find(hi, lo);
            boolean added = keyHi[at] == 0;
            size += added ? 1 : 0;
            keyHi[at] = hi;
            keyLo[at] = lo;
            values[at] = value;
            return added;
        }

        private void grow() {
            long[] his = keyHi;
            long[] los = keyLo;
            long[] prints = values;
            int capacity = Math.addExact(his.length, his.length / 2);
            keyHi = new long[capacity];
            keyLo = new long[capacity];
            values = new long[capacity];
            // All rows are expected before the first is compared, so no flag is set yet.
            seen = new boolean[capacity];
            for (int from = 0; from < his.length; from++) {
                if (his[from] != 0) {
                    int to = find(his[from], los[from]);
                    keyHi[to] = his[from];
                    keyLo[to] = los[from];
                    values[to] = prints[from];
                }
            }
        }
    }

    RowFingerprints(FeatureView view) {
        groups = new GroupCodec(view.group());
        Arrays.setAll(parts, i -> new Part());
    }

    /** Adds an expected row. All of them must precede the first comparison. */
    void expect(ComparedRow row) {
        size += part(row).put(hi(), hash.lo(), print(row.words())) ? 1 : 0;
    }

    /**
     * Compares a row and marks it as seen.
     *
     * @throws IllegalArgumentException if the group's values are not of the view's types
     */
    Match match(ComparedRow row) {
        Part part = part(row);
        int at = part.find(hi(), hash.lo());
        if (part.keyHi[at] == 0) {
            return Match.UNEXPECTED;
        }
        if (part.seen[at]) {
            return Match.REPEATED;
        }
        part.seen[at] = true;
        return part.values[at] == print(row.words()) ? Match.EQUAL : Match.DIFFERENT;
    }

    /** Whether an expected row has been compared. */
    boolean isSeen(ComparedRow row) {
        Part part = part(row);
        return part.seen[part.find(hi(), hash.lo())];
    }

    /** The number of expected rows. */
    int size() {
        return size;
    }

    /** Returns the table of a row's key, and leaves the key's hash in {@link #hash}. */
    private Part part(ComparedRow row) {
        byte[] tail = groups.encode(row.group());
        byte[] key = ByteBuffer.allocate(16 + tail.length)
                .putLong(row.cell())
                .putLong(row.windowEndMs())
                .put(tail)
                .array();
        hash.hash(key, 0, key.length);
        return parts[(int) hi() & (PARTS - 1)];
    }

    private long hi() {
        return hash.hi() == 0 ? 1 : hash.hi();
    }

    /** Chains the words through the finalizer of SplitMix64, a bijection at each step. */
    private static long print(long[] words) {
        long print = words.length;
        for (long word : words) {
            print = (print ^ word) + 0x9e3779b97f4a7c15L;
            print = (print ^ (print >>> 30)) * 0xbf58476d1ce4e5b9L;
            print = (print ^ (print >>> 27)) * 0x94d049bb133111ebL;
            print ^= print >>> 31;
        }
        return print;
    }
}
