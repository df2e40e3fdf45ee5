package io.thalweg.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Values by their keys, in memory outside of the heap, up to a number of bytes. What was put first gives way first: the rows of a window end replace
 * those of the one before, so what is old in the cache is what the job no longer writes.
 *
 * <p>Values on the heap would be promoted and replaced with every window end, and each full collection would copy them. Memory is
 * allocated when values need it, and used again from then on.
 *
 * <p><b>Threads.</b> Safe. A call holds the lock of one segment while it copies a value.
 */
final class ValueCache {
    private static final int SEGMENTS = 64;
    private static final int SEGMENT_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SEGMENTS);
    private static final int CHUNK_BYTES = 64 << 10;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Segment[] segments = new Segment[SEGMENTS];

    /** An empty cache of at most so many bytes of keys and values; its index takes up to a fifth of that on top. */
    ValueCache(long bytes) {
        int chunks = (int) Math.max(1, bytes / (SEGMENTS * (long) CHUNK_BYTES));
        Arrays.setAll(segments, i -> new Segment(chunks));
    }

    /** A copy of the value of a key, or null where it is not in the cache. */
    byte @Nullable [] get(byte[] key) {
        long hash = hash(key);
        return segment(hash).get((int) hash, key);
    }

    /** Changes whenever the value of this key, or of one that shares its segment, is put or removed. */
    long version(byte[] key) {
        return segment(hash(key)).version();
    }

    /** Puts the value of a key, in place of the one before. One of more than 64 KiB is not kept. */
    void put(byte[] key, byte[] value) {
        long hash = hash(key);
        segment(hash).put((int) hash, key, value);
    }

    /** Puts a value that was read elsewhere after {@link #version} was asked for, unless the key may have changed since. */
    void putUnlessChanged(byte[] key, byte[] value, long version) {
        long hash = hash(key);
        segment(hash).putUnlessChanged((int) hash, key, value, version);
    }

    /** Forgets the value of a key. */
    void remove(byte[] key) {
        long hash = hash(key);
        segment(hash).remove((int) hash, key);
    }

    /** Forgets all values. */
    void clear() {
        for (Segment segment : segments) {
            segment.clear();
        }
    }

    private Segment segment(long hash) {
        return segments[(int) (hash >>> SEGMENT_SHIFT)];
    }

    private static long hash(byte[] key) {
        long hash = key.length;
        int at = 0;
        for (; at + Long.BYTES <= key.length; at += Long.BYTES) {
            hash = mixed(hash ^ (long) LONGS.get(key, at));
        }
        long rest = 0;
        for (; at < key.length; at++) {
            rest = (rest << Byte.SIZE) | (key[at] & 0xFF);
        }
        return mixed(hash ^ rest);
    }

    /** The finalizer of MurmurHash3. */
    private static long mixed(long bits) {
        long mixed = (bits ^ (bits >>> 33)) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ (mixed >>> 33);
    }

    /**
     * A ring of chunks, to whose head entries are appended (lengths of key and value, key, value), and an index of where they are: sets
     * of {@value #WAYS} places, each of an entry. An entry counts until the head has gone round to it.
     *
     * <p><b>Threads.</b> Safe.
     */
    private static final class Segment {
        private static final int WAYS = 8;
        private static final int HEAD_BYTES = 2 * Integer.BYTES;
        /** No index has more places than there could be entries of this size. */
        private static final int LEAST_ENTRY_BYTES = 64;
        /** The position of an entry that does not exist. */
        private static final long NONE = -1;

        private final ByteBuffer[] chunks;
        private final long capacity;
        private final int mostPlaces;
        /** Where the next entry goes, in bytes since the beginning; never wraps. */
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

        /** The place of a key; negative where it has none. */
        private int place(int hash, byte[] key) {
            int from = set(hash);
            for (int place = from; place < from + WAYS; place++) {
                if (hashes[place] == hash && isLive(positions[place]) && isOf(key, positions[place])) {
                    return place;
                }
            }
            return -1;
        }

        /** A place for a new entry: one that is free, or else that of the oldest entry of its set. */
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
            for (int i = 0; i < key.length; i++) {
                if (chunk.get(at + HEAD_BYTES + i) != key[i]) {
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

        /** The chunk of a position, allocated when the head first comes to it. */
        private ByteBuffer chunk(long position) {
            int number = (int) (position / CHUNK_BYTES % chunks.length);
            if (chunks[number] == null) {
                chunks[number] = ByteBuffer.allocateDirect(CHUNK_BYTES);
            }
            return chunks[number];
        }

        private static int offset(long position) {
            return (int) (position % CHUNK_BYTES);
        }
    }
}
