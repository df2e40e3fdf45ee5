package io.thalweg.records;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Hashes bytes for tables in memory; the values are not kept. */
public final class ByteHash {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ByteHash() {}

    /**
     * Returns a hash whose upper half is well mixed.
     *
     * @param seed random if the bytes may be chosen to collide
     */
    public static long of(long seed, byte[] data, int from, int length) {
        long hash = seed ^ length;
        int at = from;
        int end = from + length;
        for (; at + 8 <= end; at += 8) {
            hash = mix(hash ^ (long) LONGS.get(data, at));
        }
        long rest = 0;
        for (; at < end; at++) {
            rest = rest << 8 | (data[at] & 0xFF);
        }
        return mix(hash ^ rest);
    }

    /** Returns the hash of a number, likewise. */
    public static long of(long seed, long value) {
        return mix(mix(seed ^ value));
    }

    private static long mix(long value) {
        long product = value * 0x9E3779B97F4A7C15L;
        return product ^ product >>> 29;
    }
}
