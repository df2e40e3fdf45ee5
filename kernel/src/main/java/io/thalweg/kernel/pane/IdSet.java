package io.thalweg.kernel.pane;

/** The exact set of (cell, id) pairs of a pane: which identities were seen where. Copies by sharing segments. */
final class IdSet extends Segments {
    private static final int WIDTH = 3;

    IdSet() {
        super(WIDTH);
    }

    private IdSet(IdSet other) {
        super(other);
    }

    IdSet copy() {
        return new IdSet(this);
    }

    /** Adds a pair; whether it was new. {@code cell} is at least 0. */
    boolean add(long cell, long idHi, long idLo) {
        long key = cell + 1;
        long hash = hash(key, idHi, idLo);
        Segment segment = readable(hash);
        long[] entries = segment.entries;
        int at = bucket(segment, hash);
        while (entries[at] != 0) {
            if (entries[at] == key && entries[at + 1] == idHi && entries[at + 2] == idLo) {
                return false;
            }
            at = next(segment, at);
        }
        segment = writable(hash);
        segment.entries[at] = key;
        segment.entries[at + 1] = idHi;
        segment.entries[at + 2] = idLo;
        added(segment, hash);
        return true;
    }

    @Override
    long hash(long[] entries, int at) {
        return hash(entries[at], entries[at + 1], entries[at + 2]);
    }

    private static long hash(long key, long idHi, long idLo) {
        return mix(mix(mix(key) ^ idHi) ^ idLo);
    }
}
