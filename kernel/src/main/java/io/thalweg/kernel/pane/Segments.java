package io.thalweg.kernel.pane;

import java.util.Arrays;

/**
 * An open-addressing table of fixed-width entries of {@code long}s, cut into segments that a copy shares.
 *
 * <p><b>Shape.</b> An entry is {@code width} longs. Its first long is the first key long plus one, so that 0 marks a free
 * place; the remaining longs are the subclass's.
 *
 * <p><b>Threads.</b> One writer. After {@link #disown()} the other holder of the segments may read them from any thread.
 */
/*
 * Extendible hashing: the top `depth` bits of a hash choose a segment through the directory, and a segment that is full
 * splits in two by one more bit. So the table grows segment by segment, never by one great rehash, and a copy costs the
 * directory. A segment belongs to the table whose token it carries; whoever meets a foreign segment clones it before
 * writing.
 */
abstract class Segments {
    /** Longs in a full-grown segment: 64 KiB. */
    private static final int FULL_LONGS = 8192;

    private static final int FIRST_ENTRIES = 8;

    static final class Segment {
        Object owner;
        final int depth;
        long[] entries;
        int used;

        Segment(Object owner, int depth, long[] entries) {
            this.owner = owner;
            this.depth = depth;
            this.entries = entries;
        }
    }

    private final int width;
    private Object token = new Object();
    private Segment[] directory;
    private int depth;
    private long size;

    Segments(int width) {
        this.width = width;
        directory = new Segment[] {new Segment(token, 0, new long[FIRST_ENTRIES * width])};
    }

    /** A copy that shares all segments with {@code other}; both sides clone what they write to from now on. */
    Segments(Segments other) {
        width = other.width;
        directory = other.directory.clone();
        depth = other.depth;
        size = other.size;
        other.disown();
    }

    private void disown() {
        token = new Object();
    }

    /** Number of entries. */
    final long size() {
        return size;
    }

    /** Bytes of the segments, shared ones included. */
    final long bytes() {
        long bytes = 0;
        for (int i = 0; i < directory.length; i += span(directory[i])) {
            bytes += 8L * directory[i].entries.length;
        }
        return bytes;
    }

    /** The segment for a hash, owned by this table. */
    final Segment writable(long hash) {
        int at = index(hash);
        Segment segment = directory[at];
        if (segment.owner == token) {
            return segment;
        }
        Segment mine = new Segment(token, segment.depth, segment.entries.clone());
        mine.used = segment.used;
        put(at, mine);
        return mine;
    }

    /** The segment for a hash, for reading. */
    final Segment readable(long hash) {
        return directory[index(hash)];
    }

    /** First long of the bucket where probing for a hash begins. */
    final int bucket(Segment segment, long hash) {
        return (int) (hash & (segment.entries.length / width - 1)) * width;
    }

    final int next(Segment segment, int at) {
        int next = at + width;
        return next == segment.entries.length ? 0 : next;
    }

    /** Notes that an entry was written into a free place of an owned segment, and makes room where it became full. */
    final void added(Segment segment, long hash) {
        size++;
        segment.used++;
        int capacity = segment.entries.length / width;
        if (segment.used * 4 < capacity * 3) {
            return;
        }
        if (segment.entries.length * 2 <= FULL_LONGS || segment.depth == 30) {
            grow(segment);
        } else {
            split(index(hash), segment);
        }
    }

    /** Hash of the entry at a place; must equal the hash it was added under. */
    abstract long hash(long[] entries, int at);

    /** Visits all entries, segment by segment. */
    final void forEach(EntryVisitor visitor) {
        for (int i = 0; i < directory.length; i += span(directory[i])) {
            long[] entries = directory[i].entries;
            for (int at = 0; at < entries.length; at += width) {
                if (entries[at] != 0) {
                    visitor.visit(entries, at);
                }
            }
        }
    }

    /** Receives the array and the place of an entry's first long. */
    interface EntryVisitor {
        void visit(long[] entries, int at);
    }

    /** Places an entry known to be absent. */
    final void insertNew(long[] from, int at) {
        long hash = hash(from, at);
        Segment segment = writable(hash);
        copyInto(segment, hash, from, at);
        added(segment, hash);
    }

    private int index(long hash) {
        return depth == 0 ? 0 : (int) (hash >>> (64 - depth));
    }

    private int span(Segment segment) {
        return 1 << (depth - segment.depth);
    }

    private void put(int at, Segment segment) {
        int span = span(segment);
        int from = at & -span;
        Arrays.fill(directory, from, from + span, segment);
    }

    private void grow(Segment segment) {
        long[] old = segment.entries;
        segment.entries = new long[old.length * 2];
        moveAll(old, hash -> segment);
    }

    private void split(int at, Segment segment) {
        if (segment.depth == depth) {
            deepen();
            at *= 2;
        }
        int childDepth = segment.depth + 1;
        Segment low = new Segment(token, childDepth, new long[segment.entries.length]);
        Segment high = new Segment(token, childDepth, new long[segment.entries.length]);
        int span = span(segment);
        int from = at & -span;
        Arrays.fill(directory, from, from + span / 2, low);
        Arrays.fill(directory, from + span / 2, from + span, high);
        moveAll(segment.entries, hash -> {
            Segment to = (hash >>> (64 - childDepth) & 1) == 0 ? low : high;
            to.used++;
            return to;
        });
    }

    private void deepen() {
        Segment[] wider = new Segment[directory.length * 2];
        for (int i = 0; i < wider.length; i++) {
            wider[i] = directory[i >> 1];
        }
        directory = wider;
        depth++;
    }

    private interface Destination {
        Segment of(long hash);
    }

    private void moveAll(long[] entries, Destination destination) {
        for (int at = 0; at < entries.length; at += width) {
            if (entries[at] != 0) {
                long hash = hash(entries, at);
                copyInto(destination.of(hash), hash, entries, at);
            }
        }
    }

    private void copyInto(Segment segment, long hash, long[] from, int at) {
        int to = bucket(segment, hash);
        while (segment.entries[to] != 0) {
            to = next(segment, to);
        }
        System.arraycopy(from, at, segment.entries, to, width);
    }

    static long mix(long x) {
        x = (x ^ (x >>> 32)) * 0xd6e8feb86659fd93L;
        x = (x ^ (x >>> 32)) * 0xd6e8feb86659fd93L;
        return x ^ (x >>> 32);
    }
}
