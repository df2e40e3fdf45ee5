package io.thalweg.records.write;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes Thrift structs, without a message envelope. Absent fields are omitted.
 *
 * <p><b>Types.</b> {@code Int} and {@code Symbols} by width, {@code Real} as {@code double}, {@code Date} as {@code i32}, times as
 * {@code i64} in the unit of the layout, {@code Decimal} as {@code binary}. Names that {@code Symbols} does not list must be
 * numbers.
 *
 * <p><b>Source.</b> The specifications of the binary and the compact protocol of Apache Thrift.
 */
public abstract class ThriftBytes extends OrderedBytes implements FillableWriter {
    static final byte BOOL = 2;
    static final byte I8 = 3;
    static final byte DOUBLE = 4;
    static final byte I16 = 6;
    static final byte I32 = 8;
    static final byte I64 = 10;
    static final byte BINARY = 11;
    static final byte STRUCT = 12;
    static final byte MAP = 13;
    static final byte SET = 14;
    static final byte LIST = 15;
    static final byte UUID = 16;

    /** By slot: the type on the wire, with the code of the binary protocol. */
    final byte[] wire;

    /** By slot of a field: its id. */
    final int[] ids;

    private final long[] units;
    private final @Nullable NameIndex[] names;
    private final int[][] numbers;

    ThriftBytes(Struct schema, ThriftLayout layout) {
        super(schema);
        wire = new byte[tree.root];
        ids = new int[tree.root];
        units = new long[tree.root];
        names = new NameIndex[tree.root];
        numbers = new int[tree.root][];
        for (int slot = 0; slot < tree.root; slot++) {
            compile(slot, layout);
        }
    }

    /** Creates a writer of the binary protocol. */
    public static ThriftBytes binary(Struct schema, ThriftLayout layout) {
        return new ThriftBinaryBytes(schema, layout);
    }

    /** Creates a writer of the compact protocol. */
    public static ThriftBytes compact(Struct schema, ThriftLayout layout) {
        return new ThriftCompactBytes(schema, layout);
    }

    private void compile(int slot, ThriftLayout layout) {
        FieldType type = tree.type[slot];
        String path = tree.path[slot];
        wire[slot] = wireType(type, path, layout);
        units[slot] = 1;
        if (tree.role[slot] == SlotTree.FIELD) {
            ids[slot] = freeId(slot, layout.id(path, tree.index[slot]));
        } else if (!tree.required[slot]) {
            throw new SchemaException(
                    "'" + path + "' may contain nulls, which Thrift cannot write; make its elements required");
        }
        if (type instanceof Symbols symbols) {
            List<String> listed = symbols.names();
            names[slot] = new NameIndex(listed);
            numbers[slot] = new int[listed.size()];
            for (int i = 0; i < listed.size(); i++) {
                numbers[slot][i] = layout.number(path, listed.get(i), i);
            }
        } else if (type instanceof FieldType.Time || type instanceof FieldType.Timestamp) {
            units[slot] = layout.unit(path);
        }
    }

    /** Checks that an id is valid and that no earlier field of the struct has it. */
    private int freeId(int slot, int id) {
        boolean taken = false;
        for (int sibling : tree.children[tree.parent[slot]]) {
            taken |= sibling < slot && ids[sibling] == id;
        }
        if (id < 1 || id > Short.MAX_VALUE || taken) {
            throw new SchemaException(
                    "the id of '" + tree.path[slot] + "' must be 1 to 32767 and its own in its struct, was " + id);
        }
        return id;
    }

    private static byte wireType(FieldType type, String path, ThriftLayout layout) {
        if (type instanceof Int integer) {
            return switch (integer.bits()) {
                case 8 -> I8;
                case 16 -> I16;
                case 32 -> I32;
                default -> I64;
            };
        }
        if (type instanceof Uuid) {
            return layout.uuidIsBinary(path) ? BINARY : UUID;
        }
        if (type instanceof Bool) {
            return BOOL;
        }
        if (type instanceof Real) {
            return DOUBLE;
        }
        if (type instanceof Date || type instanceof Symbols) {
            return I32;
        }
        if (type instanceof FieldType.Time || type instanceof FieldType.Timestamp) {
            return I64;
        }
        if (type instanceof Struct || FieldType.isSkipped(type)) {
            return STRUCT;
        }
        if (type instanceof ListOf) {
            return layout.isSet(path) ? SET : LIST;
        }
        return type instanceof MapOf ? MAP : BINARY;
    }

    abstract void writeInteger(byte type, long value);

    abstract void writeBinary(byte[] data, int from, int length);

    @Override
    final boolean writesAbsent(int slot) {
        return false;
    }

    @Override
    final void writeInt64(int slot, long value) {
        long unit = units[slot];
        writeInteger(wire[slot], unit == 1 ? value : Math.floorDiv(value, unit));
    }

    @Override
    final void writeBytes(int slot, byte[] data, int from, int length) {
        NameIndex listed = names[slot];
        if (listed != null) {
            writeInteger(I32, number(slot, listed, data, from, length));
        } else if (wire[slot] == UUID) {
            out.bytes(data, from, length);
        } else {
            writeBinary(data, from, length);
        }
    }

    private int number(int slot, NameIndex listed, byte[] data, int from, int length) {
        int index = listed.find(data, from, length);
        return index >= 0 ? numbers[slot][index] : unlisted(slot, data, from, length);
    }

    private int unlisted(int slot, byte[] data, int from, int length) {
        String text = new String(data, from, length, StandardCharsets.UTF_8);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'" + tree.path[slot] + "' must be a name of the enum or a number, was of " + length + " bytes");
        }
    }

    @Override
    final void openStruct(int slot) {}

    @Override
    final void closeStruct(int slot) {
        out.put(0);
    }
}
