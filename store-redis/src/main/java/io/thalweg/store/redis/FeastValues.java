package io.thalweg.store.redis;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The few protobuf messages of which a row consists for Feast: {@code feast.types.Value} with a double, an int64, a list of
 * floats or nothing in it, and {@code google.protobuf.Timestamp}. Only what is written here is read here.
 *
 * <p><b>Errors.</b> Reading throws IllegalArgumentException, whatever the bytes are.
 */
final class FeastValues {
    /** {@code int64_val = 4}, varint. */
    private static final int INT64 = 4 << 3;
    /** {@code double_val = 5}, 64 bits. */
    private static final int DOUBLE = 5 << 3 | 1;
    /** {@code float_list_val = 16}, a message. */
    private static final int FLOAT_LIST = 16 << 3 | 2;
    /** {@code FloatList.val = 1}, packed. */
    private static final int PACKED = 1 << 3 | 2;

    private static final int SECONDS = 1 << 3;
    private static final int NANOS = 2 << 3;
    private static final byte[] NOTHING = {};

    private FeastValues() {}

    /**
     * A number as a value; null is a value without anything in it, as Feast writes it.
     *
     * @param number a {@code Double}, or a {@code Long}
     */
    static byte[] number(@Nullable Number number) {
        if (number == null) {
            return NOTHING;
        }
        if (number instanceof Double) {
            return littleEndian(1 + Double.BYTES)
                    .put((byte) DOUBLE)
                    .putDouble(number.doubleValue())
                    .array();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 + 10);
        out.write(INT64);
        varint(number.longValue(), out);
        return out.toByteArray();
    }

    /** Numbers as a list of floats: what they have of digits beyond those is lost, null is not a number. */
    static byte[] floats(List<? extends @Nullable Number> numbers) {
        byte[] floats = new byte[Float.BYTES * numbers.size()];
        ByteBuffer into = littleEndian(floats);
        numbers.forEach(number -> into.putFloat(number == null ? Float.NaN : number.floatValue()));
        ByteArrayOutputStream list = new ByteArrayOutputStream(floats.length + 6);
        message(PACKED, floats, list);
        ByteArrayOutputStream out = new ByteArrayOutputStream(list.size() + 6);
        message(FLOAT_LIST, list.toByteArray(), out);
        return out.toByteArray();
    }

    /** A time, epoch ms. */
    static byte[] timestamp(long ms) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(12);
        present(SECONDS, Math.floorDiv(ms, 1_000L), out);
        present(NANOS, Math.floorMod(ms, 1_000L) * 1_000_000, out);
        return out.toByteArray();
    }

    /** What {@link #number} wrote. */
    static @Nullable Number number(byte[] value) {
        if (value.length == 0) {
            return null;
        }
        ByteBuffer in = littleEndian(value);
        int tag = in.get();
        if (tag == DOUBLE && value.length == 1 + Double.BYTES) {
            return in.getDouble();
        }
        if (tag == INT64) {
            long number = varint(in);
            if (!in.hasRemaining()) {
                return number;
            }
        }
        throw foreign("a double or an int64");
    }

    /** What {@link #floats} wrote. */
    static float[] floats(byte[] value) {
        ByteBuffer in = littleEndian(value);
        enter(FLOAT_LIST, in);
        enter(PACKED, in);
        float[] floats = new float[in.remaining() / Float.BYTES];
        in.asFloatBuffer().get(floats);
        return floats;
    }

    private static void message(int tag, byte[] content, ByteArrayOutputStream out) {
        varint(tag, out);
        varint(content.length, out);
        out.writeBytes(content);
    }

    private static void present(int tag, long number, ByteArrayOutputStream out) {
        if (number != 0) {
            out.write(tag);
            varint(number, out);
        }
    }

    private static void varint(long number, ByteArrayOutputStream out) {
        long rest = number;
        while ((rest & ~0x7FL) != 0) {
            out.write(((int) rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    /** A message that fills what is left. */
    private static void enter(int tag, ByteBuffer in) {
        if (varint(in) != tag || varint(in) != in.remaining()) {
            throw foreign("a list of floats");
        }
    }

    private static long varint(ByteBuffer in) {
        try {
            long number = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                byte next = in.get();
                number |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    return number;
                }
            }
        } catch (BufferUnderflowException e) {
            // told below
        }
        throw foreign("a varint of at most 64 bits");
    }

    private static IllegalArgumentException foreign(String wanted) {
        return new IllegalArgumentException("a value must be " + wanted + ", as Thalweg writes it");
    }

    private static ByteBuffer littleEndian(int bytes) {
        return littleEndian(new byte[bytes]);
    }

    private static ByteBuffer littleEndian(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
