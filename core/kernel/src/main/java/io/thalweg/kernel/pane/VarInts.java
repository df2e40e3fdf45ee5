package io.thalweg.kernel.pane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** Unsigned base-128 integers, least significant group first, buffered so that they are written at once. */
final class VarInts {
    private static final int MOST_BYTES = 5;

    private byte[] bytes = new byte[1 << 10];
    private int size;

    void add(int value) {
        if (bytes.length - size < MOST_BYTES) {
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            bytes[size++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /** Writes and clears the buffered integers. */
    void writeTo(DataOutput out) throws IOException {
        out.write(bytes, 0, size);
        size = 0;
    }

    static void write(DataOutput out, int value) throws IOException {
        while ((value & ~0x7f) != 0) {
            out.writeByte((value & 0x7f) | 0x80);
            value >>>= 7;
        }
        out.writeByte(value);
    }

    static int read(DataInput in) throws IOException {
        int value = 0;
        for (int shift = 0; shift < 7 * MOST_BYTES; shift += 7) {
            byte b = in.readByte();
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new IOException("a variable-length integer must end within 5 bytes");
    }
}
