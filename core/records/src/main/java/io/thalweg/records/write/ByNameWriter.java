package io.thalweg.records.write;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Writes records of one schema as messages of another, whose fields have the same names. Fields that the records lack are absent.
 *
 * <p><b>Types</b> must be the same, with these exceptions: integers, floating-point numbers and decimals may become wider, and
 * symbols may become text or a larger set of symbols.
 *
 * <p><b>Threads.</b> One.
 */
public final class ByNameWriter implements ByteRecordWriter {
    private static final int[] NONE = {};

    private final ByteRecordWriter messages;
    /** The slot in the message, by the slot in the record. */
    private final int[] slots;

    /** By the slot of a struct in the record, the root last: the slots of the message that it lacks. */
    private final int[][] lacking;

    private ByNameWriter(ByteRecordWriter messages, int[] slots, int[][] lacking) {
        this.messages = messages;
        this.slots = slots;
        this.lacking = lacking;
    }

    /**
     * Creates a writer.
     *
     * @param rows the schema of the records
     * @param schema the schema of the messages
     * @param messages writes messages of {@code schema}
     * @throws SchemaException if the schemas are incompatible; the message lists all differences
     */
    public static ByteRecordWriter of(Struct rows, Struct schema, ByteRecordWriter messages) {
        Match match = new Match(rows.slots());
        match.fields(rows, schema, rows.slots(), 0, 0, "");
        if (!match.differences.isEmpty()) {
            throw new SchemaException(String.join("; ", match.differences));
        }
        return match.isIdentity()
                ? messages
                : new ByNameWriter(messages, match.slots, match.lacking.toArray(int[][]::new));
    }

    /** Compares two schemas slot by slot. */
    private static final class Match {
        private final int[] slots;
        private final List<int[]> lacking;
        private final List<String> differences = new ArrayList<>();

        Match(int rows) {
            slots = new int[rows];
            lacking = new ArrayList<>(
                    IntStream.rangeClosed(0, rows).mapToObj(slot -> NONE).toList());
        }

        boolean isIdentity() {
            return IntStream.range(0, slots.length).allMatch(slot -> slots[slot] == slot)
                    && lacking.stream().allMatch(lacks -> lacks.length == 0);
        }

        /**
         * Compares the fields of two structs.
         *
         * @param slot of the struct of the rows
         * @param row slot of its first field
         * @param message slot of the first field of the other struct
         */
        private void fields(Struct rows, Struct schema, int slot, int row, int message, String prefix) {
            int at = row;
            for (Field field : rows.fields()) {
                int index = schema.indexOf(field.name());
                if (index < 0) {
                    differences.add("column '%s%s' is not in the schema".formatted(prefix, field.name()));
                } else {
                    field(field, schema.fields().get(index), at, offset(schema, message, index), prefix);
                }
                at += FieldType.slots(field.type());
            }
            lacking.set(slot, absent(rows, schema, message, prefix));
        }

        private static int offset(Struct schema, int first, int index) {
            return first
                    + schema.fields().subList(0, index).stream()
                            .mapToInt(field -> FieldType.slots(field.type()))
                            .sum();
        }

        private int[] absent(Struct rows, Struct schema, int message, String prefix) {
            List<Integer> absent = new ArrayList<>();
            int at = message;
            for (Field field : schema.fields()) {
                if (rows.indexOf(field.name()) < 0) {
                    absent.add(at);
                    if (field.required()) {
                        differences.add("column '%s%s' is required by the schema, but is not written"
                                .formatted(prefix, field.name()));
                    }
                }
                at += FieldType.slots(field.type());
            }
            return absent.stream().mapToInt(Integer::intValue).toArray();
        }

        private void field(Field row, Field message, int from, int to, String prefix) {
            String path = prefix + row.name();
            if (message.required() && !row.required()) {
                differences.add("column '%s' is required by the schema, but may be missing".formatted(path));
            }
            type(row.type(), message.type(), from, to, path);
        }

        private void type(FieldType row, FieldType message, int from, int to, String path) {
            slots[from] = to;
            if (row instanceof Struct struct && message instanceof Struct other) {
                fields(struct, other, from, from + 1, to + 1, path + ".");
            } else if (row instanceof ListOf list && message instanceof ListOf other) {
                nulls(list.elementsRequired(), other.elementsRequired(), path);
                type(list.element(), other.element(), from + 1, to + 1, path);
            } else if (row instanceof MapOf map && message instanceof MapOf other) {
                nulls(map.valuesRequired(), other.valuesRequired(), path);
                type(map.key(), other.key(), from + 1, to + 1, path + "[key]");
                type(map.value(), other.value(), from + 2, to + 2, path);
            } else if (!(row instanceof Scalar scalar && message instanceof Scalar other && fits(scalar, other))) {
                differences.add(
                        "column '%s' is %s in the schema, but %s is written".formatted(path, text(message), text(row)));
            }
        }

        private static String text(FieldType type) {
            if (type instanceof Int integer) {
                return "int" + integer.bits();
            }
            if (type instanceof Real real) {
                return real.bits() == 32 ? "float" : "double";
            }
            if (type instanceof Decimal decimal) {
                return "decimal(%d, %d)".formatted(decimal.precision(), decimal.scale());
            }
            if (type instanceof Symbols symbols) {
                return "one of " + symbols.names();
            }
            if (type instanceof Timestamp timestamp) {
                return timestamp.utc() ? "timestamp" : "timestamp without a zone";
            }
            String name = type.getClass().getSimpleName().toLowerCase(Locale.ROOT);
            return type instanceof ListOf || type instanceof MapOf ? name.substring(0, name.length() - 2) : name;
        }

        private void nulls(boolean never, boolean required, String path) {
            if (required && !never) {
                differences.add("column '%s' may contain null, which the schema does not allow".formatted(path));
            }
        }

        private static boolean fits(Scalar row, Scalar message) {
            if (row instanceof Int narrow && message instanceof Int wide) {
                return narrow.bits() <= wide.bits();
            }
            if (row instanceof Real narrow && message instanceof Real wide) {
                return narrow.bits() <= wide.bits();
            }
            if (row instanceof Decimal narrow && message instanceof Decimal wide) {
                return narrow.scale() == wide.scale() && narrow.precision() <= wide.precision();
            }
            if (row instanceof Symbols few) {
                return message instanceof Text
                        || (message instanceof Symbols many && many.names().containsAll(few.names()));
            }
            return row.equals(message);
        }
    }

    @Override
    public void begin() {
        messages.begin();
    }

    @Override
    public void end() {
        absent(lacking[slots.length]);
        messages.end();
    }

    private void absent(int[] lacks) {
        for (int slot : lacks) {
            messages.absent(slot);
        }
    }

    @Override
    public byte[] data() {
        return messages.data();
    }

    @Override
    public int from() {
        return messages.from();
    }

    @Override
    public int to() {
        return messages.to();
    }

    @Override
    public int textSize(int length) {
        return messages.textSize(length);
    }

    @Override
    public int bytesSize(int length) {
        return messages.bytesSize(length);
    }

    @Override
    public boolean claimHugeLength() {
        return messages.claimHugeLength();
    }

    @Override
    public void bool(int slot, boolean value) {
        messages.bool(slots[slot], value);
    }

    @Override
    public void int64(int slot, long value) {
        messages.int64(slots[slot], value);
    }

    @Override
    public void float64(int slot, double value) {
        messages.float64(slots[slot], value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        messages.bytes(slots[slot], data, from, length);
    }

    @Override
    public void absent(int slot) {
        messages.absent(slots[slot]);
    }

    @Override
    public void beginStruct(int slot) {
        messages.beginStruct(slots[slot]);
    }

    @Override
    public void endStruct(int slot) {
        absent(lacking[slot]);
        messages.endStruct(slots[slot]);
    }

    @Override
    public void beginList(int slot) {
        messages.beginList(slots[slot]);
    }

    @Override
    public void endList(int slot) {
        messages.endList(slots[slot]);
    }

    @Override
    public void beginMap(int slot) {
        messages.beginMap(slots[slot]);
    }

    @Override
    public void endMap(int slot) {
        messages.endMap(slots[slot]);
    }
}
