package io.thalweg.formats.view;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MurmurHash3 x64 128 with seed 0 over UTF-8: the fixed identity of text in {@code count_distinct}. Two texts of n collide with a
 * probability of about n² / 2<sup>129</sup>. It does not resist an attacker who wants collisions.
 *
 * <p><b>Threads.</b> One: the instance holds the last hash, so that hashing does not allocate.
 *
 * <p><b>Source.</b> Austin Appleby's SMHasher, public domain; its verification value is a test.
 */
public final class Murmur3Id128 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long C1 = 0x87c37b91114253d5L;
    private static final long C2 = 0x4cf5ad432745937fL;

    private long hi;
    private long lo;

    /** Hashes a slice. */
    public void hash(byte[] data, int offset, int length) {
        hash(data, offset, length, 0);
    }

    /** The first 64 bits of the last hash ({@code h1}). */
    public long hi() {
        return hi;
    }

    /** The last 64 bits of the last hash ({@code h2}). */
    public long lo() {
        return lo;
    }

    void hash(byte[] data, int offset, int length, int seed) {
        long h1 = seed & 0xFFFF_FFFFL;
        long h2 = h1;
        int at = offset;
        for (int blocks = length >>> 4; blocks > 0; blocks--, at += 16) {
            h1 ^= mix1((long) LONGS.get(data, at));
            h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
            h2 ^= mix2((long) LONGS.get(data, at + 8));
            h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
        }
        int rest = length & 15;
        h2 ^= rest > 8 ? mix2(tail(data, at + 8, rest - 8)) : 0;
        h1 ^= rest > 0 ? mix1(tail(data, at, Math.min(rest, 8))) : 0;
        h1 ^= length;
        h2 ^= length;
        h1 += h2;
        h2 += h1;
        h1 = finish(h1);
        h2 = finish(h2);
        h1 += h2;
        h2 += h1;
        hi = h1;
        lo = h2;
    }

    private static long tail(byte[] data, int from, int length) {
        long k = 0;
        for (int i = length - 1; i >= 0; i--) {
            k = (k << 8) | (data[from + i] & 0xFF);
        }
        return k;
    }

    private static long mix1(long k) {
        return Long.rotateLeft(k * C1, 31) * C2;
    }

    private static long mix2(long k) {
        return Long.rotateLeft(k * C2, 33) * C1;
    }

    private static long finish(long h) {
        long k = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
        k = (k ^ (k >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return k ^ (k >>> 33);
    }
}
