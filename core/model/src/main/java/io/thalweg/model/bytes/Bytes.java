package io.thalweg.model.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array; integers big-endian, varints seven bits a byte with the lowest first. */
public final class Bytes {
    /** The number of bits that a word is guaranteed to contain from any bit of its first byte on. */
    public static final int SURE_BITS = Long.SIZE - Byte.SIZE + 1;

    /** 64 bits in groups of seven. */
    private static final int MOST_VARINT_BYTES = 10;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private byte[] array;
    private int size;

    public Bytes(int capacity) {
        array = new byte[capacity];
    }

    public int size() {
        return size;
    }

    public byte[] array() {
        return array;
    }

    public void clear() {
        size = 0;
    }

    /** Sets the size to {@code size} bytes, which must be present in the array. */
    public void size(int size) {
        this.size = size;
    }

    public byte[] copy() {
        return Arrays.copyOf(array, size);
    }

    /** Returns a copy with other bytes appended. */
    public byte[] copyWith(byte[] behind) {
        byte[] whole = Arrays.copyOf(array, size + behind.length);
        System.arraycopy(behind, 0, whole, size, behind.length);
        return whole;
    }

    public Bytes u8(int value) {
        room(1);
        array[size++] = (byte) value;
        return this;
    }

    public Bytes u32(int value) {
        return u8(value >>> 24).u8(value >>> 16).u8(value >>> 8).u8(value);
    }

    public Bytes u64(long value) {
        room(Long.BYTES);
        word(array, size, value);
        size += Long.BYTES;
        return this;
    }

    /** Writes eight bytes. */
    public static void word(byte[] array, int at, long value) {
        LONGS.set(array, at, value);
    }

    /** Reads eight bytes. */
    static long word(byte[] array, int at) {
        return (long) LONGS.get(array, at);
    }

    /** Returns {@link #SURE_BITS} bits or more from bit {@code at} on, highest first, with zeros past the end of the array. */
    public static long bits(byte[] array, long at) {
        int from = (int) (at >>> 3);
        if (from + Long.BYTES <= array.length) {
            return (long) LONGS.get(array, from) << (at & 7);
        }
        long last = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            last = last << 8 | (from + i < array.length ? array[from + i] & 0xFF : 0);
        }
        return last << (at & 7);
    }

    public Bytes varint(long value) {
        room(MOST_VARINT_BYTES);
        byte[] into = array;
        int at = size;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            into[at++] = (byte) ((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        into[at++] = (byte) rest;
        size = at;
        return this;
    }

    public Bytes raw(byte[] bytes) {
        return raw(bytes, bytes.length);
    }

    public Bytes raw(byte[] bytes, int length) {
        return raw(bytes, 0, length);
    }

    public Bytes raw(byte[] bytes, int from, int length) {
        room(length);
        System.arraycopy(bytes, from, array, size, length);
        size += length;
        return this;
    }

    /** Writes text that is known to be ASCII. */
    @SuppressWarnings(
            "deprecation") // getBytes(int, int, byte[], int) copies the low bytes: for ASCII, no encoder needed
    public Bytes ascii(String text) {
        room(text.length());
        text.getBytes(0, text.length(), array, size);
        size += text.length();
        return this;
    }

    public String utf8() {
        return new String(array, 0, size, StandardCharsets.UTF_8);
    }

    /** Makes room for more bytes, which may replace {@link #array()}. */
    public void room(int more) {
        if (array.length - size < more) {
            array = Arrays.copyOf(array, Math.max(size + more, array.length * 2));
        }
    }
}
