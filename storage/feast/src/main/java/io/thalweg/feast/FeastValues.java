package io.thalweg.feast;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The protobuf messages of a Feast row: {@code feast.types.Value} that contains a double, an int64, text, a list of doubles or
 * floats, or nothing, and {@code google.protobuf.Timestamp}. This class reads only the messages that it writes.
 *
 * <p><b>Errors.</b> Reading throws IllegalArgumentException, whatever the bytes are.
 */
public final class FeastValues {
    /** {@code string_val = 2}, UTF-8. */
    private static final int STRING = 2 << 3 | 2;
    /** {@code int64_val = 4}, varint. */
    private static final int INT64 = 4 << 3;
    /** {@code double_val = 5}, 64 bits. */
    private static final int DOUBLE = 5 << 3 | 1;
    /** {@code double_list_val = 15}, a message. */
    private static final int DOUBLE_LIST = 15 << 3 | 2;
    /** {@code float_list_val = 16}, a message. */
    private static final int FLOAT_LIST = 16 << 3 | 2;
    /** {@code DoubleList.val = 1}, {@code FloatList.val = 1}, packed. */
    private static final int PACKED = 1 << 3 | 2;

    private static final int SECONDS = 1 << 3;
    private static final int NANOS = 2 << 3;
    private static final byte[] NOTHING = {};

    private FeastValues() {}

    /**
     * Encodes a feature. Null becomes an empty value, as Feast writes it.
     *
     * @param feature a {@code Double}, a {@code Long}, a {@code String} or a list of {@code Double}
     */
    public static byte[] value(@Nullable Object feature) {
        if (feature == null) {
            return NOTHING;
        }
        if (feature instanceof Double number) {
            return littleEndian(1 + Double.BYTES)
                    .put((byte) DOUBLE)
                    .putDouble(number)
                    .array();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (feature instanceof String text) {
            message(STRING, text.getBytes(StandardCharsets.UTF_8), out);
        } else if (feature instanceof List<?> list) {
            message(DOUBLE_LIST, doubles(list), out);
        } else {
            out.write(INT64);
            varint((Long) feature, out);
        }
        return out.toByteArray();
    }

    private static byte[] doubles(List<?> list) {
        if (list.isEmpty()) {
            return NOTHING;
        }
        byte[] doubles = new byte[Double.BYTES * list.size()];
        ByteBuffer into = littleEndian(doubles);
        list.forEach(number -> into.putDouble((Double) number));
        ByteArrayOutputStream out = new ByteArrayOutputStream(doubles.length + 6);
        message(PACKED, doubles, out);
        return out.toByteArray();
    }

    /** Encodes numbers as a list of floats. Excess precision is lost, and null becomes NaN. */
    public static byte[] floats(List<? extends @Nullable Object> numbers) {
        byte[] floats = new byte[Float.BYTES * numbers.size()];
        ByteBuffer into = littleEndian(floats);
        numbers.forEach(number -> into.putFloat(number == null ? Float.NaN : ((Number) number).floatValue()));
        ByteArrayOutputStream list = new ByteArrayOutputStream(floats.length + 6);
        message(PACKED, floats, list);
        ByteArrayOutputStream out = new ByteArrayOutputStream(list.size() + 6);
        message(FLOAT_LIST, list.toByteArray(), out);
        return out.toByteArray();
    }

    /** Encodes a time in epoch ms. */
    public static byte[] timestamp(long ms) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(12);
        present(SECONDS, Math.floorDiv(ms, 1_000L), out);
        present(NANOS, Math.floorMod(ms, 1_000L) * 1_000_000, out);
        return out.toByteArray();
    }

    /** Decodes a value that {@link #value} encoded. */
    public static @Nullable Object value(byte[] value) {
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
        if (tag == STRING && varint(in) == in.remaining()) {
            return StandardCharsets.UTF_8.decode(in).toString();
        }
        if (tag == DOUBLE_LIST) {
            return doubles(in.rewind());
        }
        throw foreign("a double, an int64, text or a list of doubles");
    }

    private static List<Double> doubles(ByteBuffer in) {
        enter(DOUBLE_LIST, in);
        if (!in.hasRemaining()) {
            return List.of();
        }
        enter(PACKED, in);
        double[] doubles = new double[in.remaining() / Double.BYTES];
        in.asDoubleBuffer().get(doubles);
        return DoubleStream.of(doubles).boxed().toList();
    }

    /** Decodes floats that {@link #floats} encoded. */
    public static float[] floats(byte[] value) {
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

    /** Enters a message that must fill the remaining bytes. */
    private static void enter(int tag, ByteBuffer in) {
        if (varint(in) != tag || varint(in) != in.remaining()) {
            throw foreign("a list of numbers");
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
            // reported below
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
