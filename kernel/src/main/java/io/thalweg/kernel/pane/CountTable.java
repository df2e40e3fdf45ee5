package io.thalweg.kernel.pane;

/** A count per cell, for the cells that have one. Copies by sharing segments. */
final class CountTable extends Segments {
    private static final int WIDTH = 2;

    CountTable() {
        super(WIDTH);
    }

    private CountTable(CountTable other) {
        super(other);
    }

    CountTable copy() {
        return new CountTable(this);
    }

    /** Adds one to the count of a cell, which is at least 0. */
    void increment(long cell) {
        long key = cell + 1;
        long hash = mix(key);
        Segment segment = writable(hash);
        long[] entries = segment.entries;
        int at = bucket(segment, hash);
        while (entries[at] != 0) {
            if (entries[at] == key) {
                entries[at + 1]++;
                return;
            }
            at = next(segment, at);
        }
        entries[at] = key;
        entries[at + 1] = 1;
        added(segment, hash);
    }

    @Override
    long hash(long[] entries, int at) {
        return mix(entries[at]);
    }
}
