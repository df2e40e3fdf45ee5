package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.Mix;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Spreads keys over 64-bit words. A shard keeps its keys in the order of these words, and they select the shard of a key. The
 * function is frozen because state depends on it. To select a shard, mix the word once more; otherwise all keys of a shard agree
 * in their first bits.
 */
public final class KeyWord {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private KeyWord() {}

    /** Returns the word of a key of 64 bits; unique. */
    public static long of(long key) {
        return Mix.mix(key);
    }

    /** Returns the word of a key of 128 bits; unique among keys with the same upper half. */
    public static long of(long high, long low) {
        return Mix.pair(low, high);
    }

    /** Returns the word of a byte key. */
    public static long of(byte[] key) {
        long hash = Mix.mix(key.length);
        int at = 0;
        for (; at + 8 <= key.length; at += 8) {
            hash = Mix.mix(hash ^ (long) LONGS.get(key, at));
        }
        long rest = 0;
        for (int shift = 0; at < key.length; at++, shift += 8) {
            rest |= (key[at] & 0xFFL) << shift;
        }
        return Mix.mix(hash ^ rest);
    }
}
