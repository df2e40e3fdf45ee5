package io.thalweg.formats.view;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Numbers groups by their canonical bytes, as of {@link io.thalweg.model.row.GroupCodec}, without building their values.
 *
 * <p>A key is built in place at the end of one array; a new key stays there, a known one is discarded.
 */
final class GroupTable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int FIRST_SLOTS = 64;
    private static final int VARINT_MAX = 5;

    private int groups;
    private byte[] keys = new byte[1024];
    /** Key {@code g} is at {@code ends[g] … ends[g + 1]}. */
    private int[] ends = new int[FIRST_SLOTS];

    /** Open addressing: group number + 1, 0 for a free slot. */
    private int[] slots = new int[FIRST_SLOTS];

    private int end;

    int size() {
        return groups;
    }

    byte[] bytes(int g) {
        return Arrays.copyOfRange(keys, ends[g], ends[g + 1]);
    }

    void clear() {
        groups = 0;
        Arrays.fill(slots, 0);
        end = 0;
    }

    void begin() {
        end = ends[groups];
    }

    void addByte(int value) {
        reserve(1);
        keys[end++] = (byte) value;
    }

    void addLong(long value) {
        reserve(8);
        LONGS.set(keys, end, value);
        end += 8;
    }

    void addText(byte[] data, int offset, int length) {
        reserve(VARINT_MAX + length);
        long header = 2L * length;
        for (; header > 0x7F; header >>>= 7) {
            keys[end++] = (byte) (header | 0x80);
        }
        keys[end++] = (byte) header;
        System.arraycopy(data, offset, keys, end, length);
        end += length;
    }

    /** Returns the number of the group with the key built since {@link #begin}; the next number if it is new. */
    int number() {
        int from = ends[groups];
        int mask = slots.length - 1;
        for (int slot = hash(from, end) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
            int g = slots[slot] - 1;
            if (Arrays.equals(keys, ends[g], ends[g + 1], keys, from, end)) {
                return g;
            }
        }
        return add();
    }

    private int add() {
        int g = groups++;
        if (g + 2 > ends.length) {
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
        ends[g + 1] = end;
        if (2 * groups > slots.length) {
            slots = new int[2 * slots.length];
            for (int known = 0; known < g; known++) {
                occupy(known);
            }
        }
        occupy(g);
        return g;
    }

    private void occupy(int g) {
        int mask = slots.length - 1;
        int slot = hash(ends[g], ends[g + 1]) & mask;
        while (slots[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = g + 1;
    }

    private int hash(int from, int to) {
        long h = 0x9E3779B97F4A7C15L;
        int at = from;
        for (; at + 8 <= to; at += 8) {
            h = (h ^ (long) LONGS.get(keys, at)) * 0xff51afd7ed558ccdL;
            h ^= h >>> 32;
        }
        for (; at < to; at++) {
            h = (h ^ (keys[at] & 0xFF)) * 0xff51afd7ed558ccdL;
            h ^= h >>> 32;
        }
        return (int) (h ^ (h >>> 29));
    }

    private void reserve(int length) {
        if (keys.length - end < length) {
            keys = Arrays.copyOf(keys, Math.max(2 * keys.length, Math.addExact(end, length)));
        }
    }
}
