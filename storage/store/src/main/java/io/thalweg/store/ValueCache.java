package io.thalweg.store;

import io.thalweg.kernel.keyed.KeyWord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An off-heap cache of values by key, up to a number of bytes. It evicts in the order of insertion: the rows of a window end
 * replace those of the previous one, so old entries are those that the job no longer writes.
 *
 * <p>Values on the heap would be promoted and replaced with every window end, and each full collection would copy them. Memory is
 * allocated when values first need it, and then reused.
 *
 * <p><b>Threads.</b> Safe. A call holds the lock of one segment while it copies a value.
 */
final class ValueCache {
    private static final int SEGMENTS = 64;
    private static final int SEGMENT_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SEGMENTS);
    private static final int CHUNK_BYTES = 64 << 10;

    private final Segment[] segments = new Segment[SEGMENTS];

    /** Creates an empty cache of at most this many bytes of keys and values; its index adds up to a fifth of that. */
    ValueCache(long bytes) {
        int chunks = (int) Math.max(1, bytes / (SEGMENTS * (long) CHUNK_BYTES));
        Arrays.setAll(segments, i -> new Segment(chunks));
    }

    /** Returns a copy of the value of a key, or null if it is not cached. */
    byte @Nullable [] get(byte[] key) {
        long hash = KeyWord.of(key);
        return segment(hash).get((int) hash, key);
    }

    /** Returns a number that changes whenever the value of this key, or of one in the same segment, is put or removed. */
    long version(byte[] key) {
        return segment(KeyWord.of(key)).version();
    }

    /** Puts the value of a key and replaces the previous one. A value of more than 64 KiB is not cached. */
    void put(byte[] key, byte[] value) {
        long hash = KeyWord.of(key);
        segment(hash).put((int) hash, key, value);
    }

    /** Puts a value that was read elsewhere after {@link #version} was called, unless the key may have changed since. */
    void putUnlessChanged(byte[] key, byte[] value, long version) {
        long hash = KeyWord.of(key);
        segment(hash).putUnlessChanged((int) hash, key, value, version);
    }

    /** Removes the value of a key. */
    void remove(byte[] key) {
        long hash = KeyWord.of(key);
        segment(hash).remove((int) hash, key);
    }

    /** Removes all values. */
    void clear() {
        for (Segment segment : segments) {
            segment.clear();
        }
    }

    private Segment segment(long hash) {
        return segments[(int) (hash >>> SEGMENT_SHIFT)];
    }

    /**
     * A ring of chunks and an index. Entries (lengths of key and value, key, value) are appended at the head. The index
     * consists of sets of {@value #WAYS} slots, each of which locates an entry. An entry is live until the head wraps
     * around to it.
     *
     * <p><b>Threads.</b> Safe.
     */
    private static final class Segment {
        private static final int WAYS = 8;
        private static final int HEAD_BYTES = 2 * Integer.BYTES;
        private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
        private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ORDER);
        /** The index has no more slots than there could be entries of this size. */
        private static final int LEAST_ENTRY_BYTES = 64;
        /** The position of a missing entry. */
        private static final long NONE = -1;

        private final ByteBuffer[] chunks;
        private final long capacity;
        private final int mostPlaces;
        /** The position of the next entry, in bytes since the beginning; never wraps. */
        private long head;

        private long version;
        /** The positions of entries, set by set. */
        private long[] positions = new long[WAYS];
        /** Their hashes. */
        private int[] hashes = new int[WAYS];

        Segment(int chunks) {
            this.chunks = new ByteBuffer[chunks];
            this.capacity = (long) chunks * CHUNK_BYTES;
            this.mostPlaces = Math.max(WAYS, Integer.highestOneBit((int) (capacity / LEAST_ENTRY_BYTES)));
            Arrays.fill(positions, NONE);
        }

        synchronized byte @Nullable [] get(int hash, byte[] key) {
            int place = place(hash, key);
            if (place < 0) {
                return null;
            }
            ByteBuffer chunk = chunk(positions[place]);
            int at = offset(positions[place]);
            byte[] value = new byte[chunk.getInt(at + Integer.BYTES)];
            chunk.get(at + HEAD_BYTES + key.length, value);
            return value;
        }

        synchronized long version() {
            return version;
        }

        synchronized void put(int hash, byte[] key, byte[] value) {
            version++;
            store(hash, key, value);
        }

        synchronized void putUnlessChanged(int hash, byte[] key, byte[] value, long seen) {
            if (version == seen) {
                store(hash, key, value);
            }
        }

        synchronized void remove(int hash, byte[] key) {
            version++;
            int place = place(hash, key);
            if (place >= 0) {
                positions[place] = NONE;
            }
        }

        synchronized void clear() {
            version++;
            Arrays.fill(positions, NONE);
        }

        private void store(int hash, byte[] key, byte[] value) {
            int place = place(hash, key);
            long bytes = (long) HEAD_BYTES + key.length + value.length;
            if (bytes > CHUNK_BYTES) {
                if (place >= 0) {
                    positions[place] = NONE;
                }
                return;
            }
            long position = append(key, value, (int) bytes);
            if (place < 0) {
                place = room(hash);
            }
            positions[place] = position;
            hashes[place] = hash;
        }

        /** Returns the slot of a key; negative if it has none. */
        private int place(int hash, byte[] key) {
            int from = set(hash);
            for (int place = from; place < from + WAYS; place++) {
                if (hashes[place] == hash && isLive(positions[place]) && isOf(key, positions[place])) {
                    return place;
                }
            }
            return -1;
        }

        /** Returns a slot for a new entry: a free one, or that of the oldest entry of its set. */
        private int room(int hash) {
            int oldest = oldest(hash);
            while (isLive(positions[oldest]) && positions.length < mostPlaces) {
                grow();
                oldest = oldest(hash);
            }
            return oldest;
        }

        private int oldest(int hash) {
            int from = set(hash);
            int oldest = from;
            for (int place = from + 1; place < from + WAYS; place++) {
                if (positions[place] < positions[oldest]) {
                    oldest = place;
                }
            }
            return oldest;
        }

        private int set(int hash) {
            return (hash * WAYS) & (positions.length - 1);
        }

        private void grow() {
            long[] before = positions;
            int[] hashesBefore = hashes;
            positions = new long[2 * before.length];
            hashes = new int[2 * before.length];
            Arrays.fill(positions, NONE);
            for (int i = 0; i < before.length; i++) {
                if (isLive(before[i])) {
                    int place = oldest(hashesBefore[i]); // twice as many sets: there is a free one
                    positions[place] = before[i];
                    hashes[place] = hashesBefore[i];
                }
            }
        }

        private boolean isLive(long position) {
            return position != NONE && position >= head - capacity;
        }

        private boolean isOf(byte[] key, long position) {
            ByteBuffer chunk = chunk(position);
            int at = offset(position);
            if (chunk.getInt(at) != key.length) {
                return false;
            }
            int from = at + HEAD_BYTES;
            int i = 0;
            for (; i + Long.BYTES <= key.length; i += Long.BYTES) {
                if (chunk.getLong(from + i) != (long) LONGS.get(key, i)) {
                    return false;
                }
            }
            for (; i < key.length; i++) {
                if (chunk.get(from + i) != key[i]) {
                    return false;
                }
            }
            return true;
        }

        private long append(byte[] key, byte[] value, int bytes) {
            int left = CHUNK_BYTES - offset(head);
            if (bytes > left) {
                head += left;
            }
            long position = head;
            head += bytes;
            int at = offset(position);
            chunk(position)
                    .putInt(at, key.length)
                    .putInt(at + Integer.BYTES, value.length)
                    .put(at + HEAD_BYTES, key)
                    .put(at + HEAD_BYTES + key.length, value);
            return position;
        }

        /** Returns the chunk of a position, allocated when the head first reaches it. */
        private ByteBuffer chunk(long position) {
            int number = (int) (position / CHUNK_BYTES % chunks.length);
            if (chunks[number] == null) {
                chunks[number] = ByteBuffer.allocateDirect(CHUNK_BYTES).order(ORDER);
            }
            return chunks[number];
        }

        private static int offset(long position) {
            return (int) (position % CHUNK_BYTES);
        }
    }
}
