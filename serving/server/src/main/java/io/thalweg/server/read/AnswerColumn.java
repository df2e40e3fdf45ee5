package io.thalweg.server.read;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A column of an answer: the bytes of its values, little-endian, one row after the other.
 *
 * @param lengths of the values of each row, unsigned 32 bits, 2^32 - 1 for a value that is missing; null if all have the same
 */
record AnswerColumn(String name, Type type, @Nullable Content lengths, Content values) {
    /** The length of a text or list that is missing. */
    static final int NONE = -1;

    /** The type of the values. */
    enum Type {
        U8("u8", 1),
        I64("i64", Long.BYTES),
        F64("f64", Double.BYTES),
        TEXT("text", 1),
        F64_LIST("f64[]", Double.BYTES);

        private final String label;
        private final int bytes;

        Type(String label, int bytes) {
            this.label = label;
            this.bytes = bytes;
        }

        /** The name of the type in the header of an answer. */
        String label() {
            return label;
        }
    }

    /** Writes the value of a row. */
    interface Cell {
        void put(ByteBuffer out, int row);
    }

    /** Writes the bytes of a column into a buffer that is little-endian. */
    record Content(int bytes, Consumer<ByteBuffer> write) {}

    /** Returns a column whose values have the length of their type. */
    static AnswerColumn of(String name, Type type, int rows, Consumer<ByteBuffer> write) {
        return new AnswerColumn(name, type, null, new Content(Math.multiplyExact(rows, type.bytes), write));
    }

    /** Returns the same, written row by row. */
    static AnswerColumn ofCells(String name, Type type, int rows, Cell cell) {
        return of(name, type, rows, cells(rows, cell));
    }

    private static Consumer<ByteBuffer> cells(int rows, Cell cell) {
        return out -> {
            for (int row = 0; row < rows; row++) {
                cell.put(out, row);
            }
        };
    }

    /** Returns a column of texts or lists. */
    static AnswerColumn ofLengths(String name, Type type, int[] lengths, Consumer<ByteBuffer> write) {
        int elements = 0;
        for (int length : lengths) {
            elements = Math.addExact(elements, Math.max(0, length));
        }
        return new AnswerColumn(
                name,
                type,
                new Content(
                        Math.multiplyExact(lengths.length, Integer.BYTES),
                        cells(lengths.length, (out, row) -> out.putInt(lengths[row]))),
                new Content(Math.multiplyExact(elements, type.bytes), write));
    }
}
