package io.thalweg.records.write;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ProtoLayout.Form;
import java.util.Arrays;

/**
 * Writes messages of Protocol Buffers.
 *
 * <p><b>Types.</b> A list is a repeated field, not packed; a map is a repeated message {@code {key = 1, value = 2}}; an absent field is
 * left out. Scalars have the forms of the layout.
 *
 * <p><b>Lengths</b> precede nested messages. As many bytes are reserved as the last length of the field took; if the new one takes
 * more or fewer, the content moves.
 *
 * <p><b>Source.</b> Protocol Buffers, "Encoding".
 */
public final class ProtoBytes extends OrderedBytes {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;

    /** By slot: the field's number; that of an element is its list's. */
    private final int[] numbers;

    /** By slot: the tag of a value. */
    private final int[] tags;

    private final Form[] forms;

    /** Of structs and maps: how many bytes the length takes, and where it is. */
    private final int[] lengthBytes;

    private final int[] lengthAt;
    private final byte[] uuid = new byte[36];
    private final GrowingBytes text = new GrowingBytes();
    private final JsonNumbers decimals = new JsonNumbers();

    /**
     * Writes messages of the given schema.
     *
     * @throws SchemaException if it has a list of lists or maps, which Protocol Buffers do not know
     */
    public ProtoBytes(Struct schema, ProtoLayout layout) {
        super(schema);
        int nodes = tree.root + 1;
        numbers = new int[nodes];
        tags = new int[nodes];
        forms = new Form[nodes];
        lengthBytes = new int[nodes];
        lengthAt = new int[nodes];
        Arrays.fill(lengthBytes, 1);
        Arrays.fill(forms, Form.BYTES);
        for (int slot = 0; slot < tree.root; slot++) {
            compile(slot, layout);
        }
    }

    private void compile(int slot, ProtoLayout layout) {
        FieldType type = tree.type[slot];
        String path = tree.path[slot];
        boolean repeated = type instanceof ListOf || type instanceof MapOf;
        numbers[slot] = switch (tree.role[slot]) {
            case SlotTree.FIELD -> layout.number(path, tree.index[slot]);
            case SlotTree.KEY -> 1;
            case SlotTree.VALUE -> 2;
            default -> numbers[tree.parent[slot]];
        };
        if (repeated && tree.role[slot] == SlotTree.ELEMENT) {
            throw new SchemaException("'" + path + "' is a list of lists or maps, which Protocol Buffers do not have;"
                    + " select other fields with 'fields'");
        }
        boolean scalar = !repeated && !(type instanceof Struct);
        forms[slot] = scalar ? layout.form(path, type) : Form.BYTES;
        tags[slot] = numbers[slot] << 3 | wireType(forms[slot]);
    }

    private static int wireType(Form form) {
        return switch (form) {
            case VARINT -> VARINT;
            case DOUBLE -> FIXED64;
            case FLOAT -> FIXED32;
            default -> LENGTH;
        };
    }

    @Override
    public int textSize(int length) {
        return GrowingBytes.varintSize(length) + length;
    }

    @Override
    public int bytesSize(int length) {
        return textSize(length);
    }

    @Override
    boolean writesAbsent(int slot) {
        return tree.role[slot] == SlotTree.ELEMENT;
    }

    @Override
    void fieldHeader(int slot, int previous, int flag) {
        tag(slot);
    }

    @Override
    void itemHeader(int slot, int ordinal, int flag) {
        if (flag == ABSENT) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE, "'" + tree.path[slot] + "' must not contain null in Protocol Buffers");
        }
        if (tree.role[slot] == SlotTree.KEY) {
            int map = tree.parent[slot];
            if (ordinal > 0) {
                endLength(map);
            }
            out.varint(tags[map]);
            beginLength(map);
        }
        tag(slot);
    }

    /** Of a list or map, each element or entry has a tag of its own. */
    private void tag(int slot) {
        FieldType type = tree.type[slot];
        if (!(type instanceof ListOf) && !(type instanceof MapOf)) {
            out.varint(tags[slot]);
        }
    }

    private void beginLength(int slot) {
        lengthAt[slot] = out.at;
        out.reserve(lengthBytes[slot]);
        out.at += lengthBytes[slot];
    }

    private void endLength(int slot) {
        int content = lengthAt[slot] + lengthBytes[slot];
        int length = out.at - content;
        int size = GrowingBytes.varintSize(length);
        if (size != lengthBytes[slot]) {
            shift(content, size - lengthBytes[slot]);
            lengthBytes[slot] = size;
        }
        int end = out.at;
        out.at = lengthAt[slot];
        out.varint(length);
        out.at = end;
    }

    @Override
    void writeBool(int slot, boolean value) {
        out.put(value ? 1 : 0);
    }

    @Override
    void writeInt64(int slot, long value) {
        Form form = forms[slot];
        if (form == Form.VARINT) {
            out.varint(value);
        } else {
            text.at = 0;
            time(slot, value, form);
            prefixed(text.data, 0, text.at);
        }
    }

    private void time(int slot, long value, Form form) {
        boolean ofDay = form == Form.TIME_TEXT;
        if (ofDay ? !JsonTimes.isTime(value) : !JsonTimes.isTimestamp(value)) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'%s' must be %s, was %d microseconds"
                            .formatted(tree.path[slot], ofDay ? "a time of the day" : "in the years 1 to 9999", value));
        }
        if (ofDay) {
            JsonTimes.time(text, value);
        } else {
            JsonTimes.timestamp(text, value, false);
        }
    }

    @Override
    void writeFloat64(int slot, double value) {
        if (forms[slot] == Form.FLOAT) {
            out.littleInt32(Float.floatToRawIntBits((float) value));
        } else {
            out.littleInt64(Double.doubleToRawLongBits(value));
        }
    }

    @Override
    void writeBytes(int slot, byte[] data, int from, int length) {
        switch (forms[slot]) {
            case UUID_TEXT -> {
                JsonText.uuid(data, from, uuid, 0);
                prefixed(uuid, 0, uuid.length);
            }
            case DECIMAL_TEXT -> {
                text.at = 0;
                decimals.decimal(text, data, from, length, ((Decimal) tree.type[slot]).scale());
                prefixed(text.data, 0, text.at);
            }
            default -> prefixed(data, from, length);
        }
    }

    private void prefixed(byte[] data, int from, int length) {
        int at = out.at;
        out.varint(length);
        noteLength(at, out.at);
        out.bytes(data, from, length);
    }

    @Override
    void writeHugeLength() {
        out.varint(Integer.MAX_VALUE);
    }

    @Override
    void openStruct(int slot) {
        if (slot != tree.root) {
            beginLength(slot);
        }
    }

    @Override
    void closeStruct(int slot) {
        if (slot != tree.root) {
            endLength(slot);
        }
    }

    @Override
    void openList(int slot) {
        // Each element has a tag of its own.
    }

    @Override
    void closeList(int slot, int head, int elements) {
        // Nothing precedes the elements.
    }

    @Override
    void openMap(int slot) {
        // Each entry has a tag and a length of its own.
    }

    @Override
    void closeMap(int slot, int head, int entries) {
        if (entries > 0) {
            endLength(slot);
        }
    }
}
