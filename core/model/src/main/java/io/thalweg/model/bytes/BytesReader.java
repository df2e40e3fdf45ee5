package io.thalweg.model.bytes;

import java.util.Arrays;

/** Reads what {@link Bytes} wrote; every failure is an IllegalArgumentException that names the offset. */
public final class BytesReader {
    private final byte[] array;
    private final int end;
    private int at;

    public BytesReader(byte[] array, int from) {
        this(array, from, array.length);
    }

    public BytesReader(byte[] array, int from, int to) {
        this.array = array;
        this.end = to;
        this.at = from;
    }

    public int at() {
        return at;
    }

    public int remaining() {
        return end - at;
    }

    public IllegalArgumentException wrong(String what) {
        return wrong(at, what);
    }

    public static IllegalArgumentException wrong(int offset, String what) {
        return new IllegalArgumentException("at byte " + offset + ": " + what);
    }

    public int u8() {
        if (at >= end) {
            throw wrong("the bytes end early");
        }
        return array[at++] & 0xFF;
    }

    public int u32() {
        return (u8() << 24) | (u8() << 16) | (u8() << 8) | u8();
    }

    public long u64() {
        if (end - at >= Long.BYTES) {
            at += Long.BYTES;
            return Bytes.word(array, at - Long.BYTES);
        }
        return ((u32() & 0xFFFF_FFFFL) << 32) | (u32() & 0xFFFF_FFFFL);
    }

    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = u8();
            if (shift == 63 && next > 1) {
                throw wrong(at - 1, "a varint must fit into 64 bits");
            }
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                if (next == 0 && shift > 0) {
                    throw wrong(at - 1, "a varint must not end with an empty byte");
                }
                return value;
            }
        }
        throw wrong("a varint must fit into 64 bits");
    }

    /** Reads a varint of at most {@code limit}; {@code what} names it in errors. */
    public int varint(int limit, String what) {
        int from = at;
        if (from < end && array[from] >= 0 && array[from] <= limit) { // one byte, as usual
            at = from + 1;
            return array[from];
        }
        long value = varint();
        if (value < 0 || value > limit) {
            throw wrong(from, what + " must be at most " + limit + ", was " + Long.toUnsignedString(value));
        }
        return (int) value;
    }

    public byte[] raw(int length) {
        int from = at;
        skip(length);
        return Arrays.copyOfRange(array, from, at);
    }

    public void skip(int length) {
        if (length > remaining()) {
            throw wrong("the bytes end early: " + length + " wanted, " + remaining() + " left");
        }
        at += length;
    }

    public void end() {
        if (remaining() > 0) {
            throw wrong(remaining() + " bytes are left over");
        }
    }
}
