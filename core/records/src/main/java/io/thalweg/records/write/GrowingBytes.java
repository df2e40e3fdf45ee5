package io.thalweg.records.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing array with the position of the next byte. */
final class GrowingBytes {
    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE_INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LITTLE_LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    byte[] data = new byte[1024];
    int at;

    /** Makes room for {@code more} bytes. */
    void reserve(int more) {
        if (data.length - at < more) {
            grow(more);
        }
    }

    private void grow(int more) {
        data = Arrays.copyOf(data, Math.max(data.length + (data.length >> 1), Math.addExact(at, more)));
    }

    void put(int value) {
        reserve(1);
        data[at++] = (byte) value;
    }

    void int16(int value) {
        reserve(2);
        SHORTS.set(data, at, (short) value);
        at += 2;
    }

    void int32(int value) {
        reserve(4);
        INTS.set(data, at, value);
        at += 4;
    }

    void int64(long value) {
        reserve(8);
        LONGS.set(data, at, value);
        at += 8;
    }

    void littleInt32(int value) {
        reserve(4);
        LITTLE_INTS.set(data, at, value);
        at += 4;
    }

    void littleInt64(long value) {
        reserve(8);
        LITTLE_LONGS.set(data, at, value);
        at += 8;
    }

    /** Overwrites four bytes that were written before. */
    void setInt32(int position, int value) {
        INTS.set(data, position, value);
    }

    /** Writes an unsigned number in groups of seven bits, lowest first. */
    void varint(long value) {
        reserve(10);
        byte[] to = data;
        int end = at;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            to[end++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        to[end++] = (byte) rest;
        at = end;
    }

    /** Writes a signed number such that small ones of either sign are short. */
    void zigzag(long value) {
        varint((value << 1) ^ (value >> 63));
    }

    /** Returns the number of bytes that {@link #varint} writes. */
    static int varintSize(long value) {
        return (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
    }

    void bytes(byte[] source, int from, int length) {
        reserve(length);
        System.arraycopy(source, from, data, at, length);
        at += length;
    }

    void bytes(byte[] source) {
        bytes(source, 0, source.length);
    }

    /** Moves the bytes from {@code position} on, to make room for {@code room} bytes before them; a negative value closes a gap. */
    void shift(int position, int room) {
        reserve(Math.max(0, room));
        System.arraycopy(data, position, data, position + room, at - position);
        at += room;
    }
}
