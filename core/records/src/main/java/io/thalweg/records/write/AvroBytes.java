package io.thalweg.records.write;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.List;
import java.util.Objects;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Writes Avro's binary encoding, without a header. Arrays and maps are one block without its size in bytes.
 *
 * <p><b>Unions.</b> A union of several types besides null is a struct with one optional field per type, of which exactly one must be
 * reported with a value.
 *
 * <p><b>Source.</b> Apache Avro 1.12 specification, "Binary encoding".
 */
public final class AvroBytes extends OrderedBytes implements FillableWriter {
    private static final int NOT_IN_UNION = -1;

    /** The encodings of the value of a slot. */
    private static final byte PLAIN = 0;

    private static final byte FLOAT = 1;
    private static final byte FIXED = 2;
    private static final byte ENUM = 3;
    private static final byte UUID_TEXT = 4;
    /** A struct that represents a union. */
    private static final byte UNION = 5;

    private final byte[] form;
    private final int[] fixedSize;
    /** Microseconds per unit, or minus the units per microsecond. */
    private final long[] units;

    private final int[] nullBranch;
    private final int[] valueBranch;
    private final @Nullable NameIndex[] names;
    private final byte[] uuid = new byte[36];

    /** Creates a writer of messages of the schema that {@link AvroSchemas#of} derives. */
    public AvroBytes(Struct schema) {
        this(schema, AvroSchemas.of(schema, "record"));
    }

    /**
     * Creates a writer of messages of a given schema.
     *
     * @param avro has the same fields as {@code schema}, which was derived from it
     * @throws SchemaException if a field differs; the message names it
     */
    public AvroBytes(Struct schema, Schema avro) {
        super(schema);
        int nodes = tree.root + 1;
        form = new byte[nodes];
        fixedSize = new int[nodes];
        units = new long[nodes];
        nullBranch = new int[nodes];
        valueBranch = new int[nodes];
        names = new NameIndex[nodes];
        compileStruct(tree.root, avro);
    }

    private void compileStruct(int slot, Schema avro) {
        int[] children = Objects.requireNonNull(tree.children[slot]);
        if (avro.getType() != Schema.Type.RECORD || avro.getFields().size() != children.length) {
            throw differs(slot, avro);
        }
        expected[slot] = children.length;
        for (int i = 0; i < children.length; i++) {
            Schema.Field field = avro.getFields().get(i);
            if (!field.name().equals(tree.name[children[i]])) {
                throw differs(children[i], field.schema());
            }
            compile(children[i], field.schema());
        }
    }

    private void compile(int slot, Schema declared) {
        nullBranch[slot] = NOT_IN_UNION;
        valueBranch[slot] = NOT_IN_UNION;
        if (!declared.isUnion()) {
            compileValue(slot, declared);
            return;
        }
        List<Schema> branches = declared.getTypes();
        int ofNull = branchOfNull(branches);
        nullBranch[slot] = ofNull;
        if (branches.size() == 2 && ofNull >= 0) {
            valueBranch[slot] = 1 - ofNull;
            compileValue(slot, branches.get(1 - ofNull));
        } else {
            compileUnion(slot, declared, ofNull);
        }
    }

    private void compileUnion(int slot, Schema declared, int ofNull) {
        int[] children = tree.children[slot];
        if (children == null || children.length != declared.getTypes().size() - (ofNull < 0 ? 0 : 1)) {
            throw differs(slot, declared);
        }
        form[slot] = UNION;
        int next = 0;
        for (int branch = 0; branch < declared.getTypes().size(); branch++) {
            if (branch != ofNull) {
                int child = children[next++];
                nullBranch[child] = NOT_IN_UNION;
                valueBranch[child] = branch;
                compileValue(child, declared.getTypes().get(branch));
            }
        }
    }

    private static int branchOfNull(List<Schema> branches) {
        for (int i = 0; i < branches.size(); i++) {
            if (branches.get(i).getType() == Schema.Type.NULL) {
                return i;
            }
        }
        return NOT_IN_UNION;
    }

    private void compileValue(int slot, Schema avro) {
        FieldType type = tree.type[slot];
        units[slot] = 1;
        switch (avro.getType()) {
            case RECORD -> compileRecord(slot, avro);
            case ARRAY -> compileArray(slot, avro);
            case MAP -> compileMap(slot, avro);
            case ENUM -> {
                check(type instanceof Symbols, slot, avro);
                form[slot] = ENUM;
                names[slot] = new NameIndex(avro.getEnumSymbols());
            }
            case FIXED -> {
                form[slot] = FIXED;
                fixedSize[slot] = avro.getFixedSize();
            }
            case STRING -> form[slot] = type instanceof Uuid ? UUID_TEXT : PLAIN;
            case FLOAT -> form[slot] = FLOAT;
            case LONG, INT -> units[slot] = unit(avro.getLogicalType());
            case UNION, NULL -> throw differs(slot, avro);
            default -> form[slot] = PLAIN;
        }
    }

    private void compileRecord(int slot, Schema avro) {
        if (tree.type[slot] instanceof Struct) {
            compileStruct(slot, avro);
        } else {
            throw differs(slot, avro);
        }
    }

    private void compileArray(int slot, Schema avro) {
        if (tree.type[slot] instanceof FieldType.ListOf) {
            compile(slot + 1, avro.getElementType());
            return;
        }
        boolean entries = tree.type[slot] instanceof FieldType.MapOf
                && avro.getElementType().getType() == Schema.Type.RECORD
                && avro.getElementType().getFields().size() == 2;
        check(entries, slot, avro);
        compile(slot + 1, avro.getElementType().getFields().get(0).schema());
        compile(slot + 2, avro.getElementType().getFields().get(1).schema());
    }

    private void compileMap(int slot, Schema avro) {
        check(tree.type[slot] instanceof FieldType.MapOf map && map.key() instanceof FieldType.Text, slot, avro);
        compile(slot + 1, Schema.create(Schema.Type.STRING));
        compile(slot + 2, avro.getValueType());
    }

    private void check(boolean same, int slot, Schema avro) {
        if (!same) {
            throw differs(slot, avro);
        }
    }

    private SchemaException differs(int slot, Schema avro) {
        return new SchemaException("'" + tree.path[slot] + "' is " + tree.type[slot] + ", but " + avro.getType()
                + " in the schema of Avro; use the schema that the fields were read from");
    }

    private static long unit(@Nullable LogicalType type) {
        if (type == null) {
            return 1;
        }
        return switch (type.getName()) {
            case "time-millis", "timestamp-millis", "local-timestamp-millis" -> 1_000;
            case "timestamp-nanos", "local-timestamp-nanos" -> -1_000;
            default -> 1;
        };
    }

    @Override
    public int textSize(int length) {
        return GrowingBytes.varintSize(2L * length) + length;
    }

    @Override
    public int bytesSize(int length) {
        return textSize(length);
    }

    @Override
    boolean writesAbsent(int slot) {
        int parent = tree.parent[slot];
        return form[parent] != UNION || tree.role[slot] != SlotTree.FIELD;
    }

    @Override
    void fieldHeader(int slot, int previous, int flag) {
        branch(slot, flag);
    }

    @Override
    void itemHeader(int slot, int ordinal, int flag) {
        branch(slot, flag);
    }

    private void branch(int slot, int flag) {
        int branch = flag == ABSENT ? nullBranch[slot] : valueBranch[slot];
        if (branch >= 0) {
            out.zigzag(branch);
        } else if (flag == ABSENT) {
            throw new BadRecordException(
                    RecordFault.MISSING_FIELD, "'" + tree.path[slot] + "' must be there, because its type has no null");
        }
    }

    @Override
    void writeBool(int slot, boolean value) {
        out.put(value ? 1 : 0);
    }

    @Override
    void writeInt64(int slot, long value) {
        long unit = units[slot];
        out.zigzag(unit == 1 ? value : scaled(slot, value, unit));
    }

    private long scaled(int slot, long value, long unit) {
        if (unit > 0) {
            return Math.floorDiv(value, unit);
        }
        long scaled = value * -unit;
        if (Math.multiplyHigh(value, -unit) != scaled >> 63) {
            throw outOfRange(slot, "a time that fits 64 bits in nanoseconds");
        }
        return scaled;
    }

    @Override
    void writeFloat64(int slot, double value) {
        if (form[slot] == FLOAT) {
            out.littleInt32(Float.floatToRawIntBits((float) value));
        } else {
            out.littleInt64(Double.doubleToRawLongBits(value));
        }
    }

    @Override
    void writeBytes(int slot, byte[] data, int from, int length) {
        switch (form[slot]) {
            case FIXED -> fixed(slot, data, from, length);
            case ENUM -> out.zigzag(symbol(slot, data, from, length));
            case UUID_TEXT -> {
                JsonLiterals.uuid(data, from, uuid, 0);
                prefixed(uuid, 0, uuid.length);
            }
            default -> prefixed(data, from, length);
        }
    }

    private void prefixed(byte[] data, int from, int length) {
        int at = out.at;
        out.zigzag(length);
        noteLength(at, out.at);
        out.bytes(data, from, length);
    }

    /** Writes bytes of fixed size. Shorter decimals are padded with their sign. */
    private void fixed(int slot, byte[] data, int from, int length) {
        int missing = fixedSize[slot] - length;
        boolean decimal = tree.type[slot] instanceof FieldType.Decimal;
        if (missing < 0 || (missing > 0 && !decimal)) {
            throw outOfRange(slot, fixedSize[slot] + " bytes");
        }
        for (int i = 0; i < missing; i++) {
            out.put(data[from] >> 7);
        }
        out.bytes(data, from, length);
    }

    private int symbol(int slot, byte[] data, int from, int length) {
        int index = Objects.requireNonNull(names[slot]).find(data, from, length);
        if (index < 0) {
            throw outOfRange(slot, "a name of the enum");
        }
        return index;
    }

    private BadRecordException outOfRange(int slot, String wanted) {
        return new BadRecordException(RecordFault.OUT_OF_RANGE, "'" + tree.path[slot] + "' must be " + wanted);
    }

    @Override
    void writeHugeLength() {
        out.zigzag(Integer.MAX_VALUE);
    }

    @Override
    void openStruct(int slot) {}

    @Override
    void closeStruct(int slot) {
        if (form[slot] == UNION && written(slot) != 1) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'" + tree.path[slot] + "' must have a value for exactly one of its types, had " + written(slot));
        }
    }

    @Override
    void openList(int slot) {
        out.put(0);
    }

    /** Ends a list. One byte is reserved for the count; the elements are moved if it takes more. */
    @Override
    void closeList(int slot, int head, int elements) {
        if (elements == 0) {
            return;
        }
        int size = GrowingBytes.varintSize(2L * elements);
        if (size > 1) {
            shift(head + 1, size - 1);
        }
        int end = out.at;
        out.at = head;
        out.zigzag(elements);
        out.at = end;
        out.put(0);
    }

    @Override
    void openMap(int slot) {
        openList(slot);
    }

    @Override
    void closeMap(int slot, int head, int entries) {
        closeList(slot, head, entries);
    }
}
