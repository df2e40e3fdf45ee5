package io.thalweg.records.write;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ProtoLayout.Form;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of Protocol Buffers.
 *
 * <p><b>Types.</b> A list is a repeated field, packed if the layout says so; a map is a repeated message {@code {key = 1, value =
 * 2}}; an absent field is omitted, and a field with the default of its type is written. Scalars have the forms of the layout.
 *
 * <p><b>Lengths</b> precede nested messages. The writer reserves as many bytes as the last length of the field took, and moves
 * the content if the new length takes more or fewer.
 *
 * <p><b>Source.</b> Protocol Buffers, "Encoding".
 */
public final class ProtoBytes extends OrderedBytes {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;
    private static final long MICROS = 1_000_000;
    private static final String YEARS = "in the years 1 to 9999";

    /** By slot: the field's number; an element has that of its list. */
    private final int[] numbers;

    /** By slot: the tag of a value. */
    private final long[] tags;

    private final Form[] forms;
    private final boolean[] wrapped;
    private final boolean[] packed;

    /** By slot of an integer: the bits that may be set. */
    private final long[] masks;

    /** By slot of an enum: its names, and their numbers. */
    private final @Nullable NameIndex[] names;

    private final int[][] symbols;

    /** By slot of a struct: the slots of the members of each oneof. */
    private final int[][][] oneofs;

    /** For values preceded by a length that is not known at first: the size of the length in bytes, and its position. */
    private final int[] lengthBytes;

    private final int[] lengthAt;
    private final byte[] uuid = new byte[36];
    private final GrowingBytes text = new GrowingBytes();
    private final JsonNumbers decimals = new JsonNumbers();

    /**
     * Creates a writer of messages of a schema.
     *
     * @throws SchemaException if it has a list of lists or maps, which Protocol Buffers do not support
     */
    public ProtoBytes(Struct schema, ProtoLayout layout) {
        super(schema);
        int nodes = tree.root + 1;
        numbers = new int[nodes];
        tags = new long[nodes];
        forms = new Form[nodes];
        lengthBytes = new int[nodes];
        lengthAt = new int[nodes];
        wrapped = new boolean[nodes];
        packed = new boolean[nodes];
        masks = new long[nodes];
        names = new NameIndex[nodes];
        symbols = new int[nodes][];
        oneofs = new int[nodes][][];
        Arrays.fill(lengthBytes, 1);
        Arrays.fill(forms, Form.BYTES);
        Arrays.fill(masks, -1);
        for (int slot = 0; slot < tree.root; slot++) {
            compile(slot, layout);
        }
        compileOneofs(layout);
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
        packed[slot] = type instanceof ListOf && layout.isPacked(path);
        if (!repeated && !(type instanceof Struct)) {
            compileScalar(slot, layout);
        }
        tags[slot] = (long) numbers[slot] << 3 | (wrapped[slot] ? LENGTH : wireType(forms[slot]));
    }

    private void compileScalar(int slot, ProtoLayout layout) {
        String path = tree.path[slot];
        forms[slot] = layout.form(path, tree.type[slot]);
        wrapped[slot] = layout.isWrapped(path);
        masks[slot] = -1L >>> (Long.SIZE - layout.unsignedBits(path));
        if (forms[slot] == Form.ENUM && tree.type[slot] instanceof Symbols enumeration) {
            List<String> listed = enumeration.names();
            names[slot] = new NameIndex(listed);
            symbols[slot] = IntStream.range(0, listed.size())
                    .map(i -> layout.symbol(path, listed.get(i), i))
                    .toArray();
        }
    }

    private void compileOneofs(ProtoLayout layout) {
        Map<String, Integer> fields = new HashMap<>();
        for (int slot = 0; slot < tree.root; slot++) {
            if (tree.role[slot] == SlotTree.FIELD) {
                fields.put(tree.path[slot], slot);
            }
        }
        Map<Integer, List<int[]>> byStruct = new HashMap<>();
        for (List<String> oneof : layout.oneofs()) {
            int[] members = oneof.stream()
                    .mapToInt(member -> Objects.requireNonNull(fields.get(member), member))
                    .toArray();
            byStruct.computeIfAbsent(tree.parent[members[0]], s -> new ArrayList<>())
                    .add(members);
        }
        byStruct.forEach((struct, groups) -> oneofs[struct] = groups.toArray(int[][]::new));
    }

    private static int wireType(Form form) {
        return switch (form) {
            case VARINT, ZIGZAG, ENUM -> VARINT;
            case DOUBLE, FIXED64 -> FIXED64;
            case FLOAT, FIXED32 -> FIXED32;
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
        if (!packed[tree.parent[slot]]) {
            tag(slot);
        }
    }

    /** Writes the tag of a value. Each element of a list or entry of a map has its own tag. */
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

    /** Enters the message around a scalar, if there is one. */
    private void openWrapper(int slot) {
        if (wrapped[slot]) {
            beginLength(slot);
            out.varint(1 << 3 | wireType(forms[slot]));
        }
    }

    private void closeWrapper(int slot) {
        if (wrapped[slot]) {
            endLength(slot);
        }
    }

    @Override
    void writeBool(int slot, boolean value) {
        openWrapper(slot);
        out.put(value ? 1 : 0);
        closeWrapper(slot);
    }

    @Override
    void writeInt64(int slot, long value) {
        openWrapper(slot);
        switch (forms[slot]) {
            case VARINT -> out.varint(inRange(slot, value));
            case ZIGZAG -> out.zigzag(value);
            case FIXED32 -> out.littleInt32((int) inRange(slot, value));
            case FIXED64 -> out.littleInt64(inRange(slot, value));
            case DURATION -> secondsAndNanos(slot, value / MICROS, value % MICROS * 1_000);
            case TIMESTAMP -> {
                requireTime(slot, value, JsonTimeWriter.isTimestamp(value), YEARS);
                secondsAndNanos(slot, Math.floorDiv(value, MICROS), Math.floorMod(value, MICROS) * 1_000);
            }
            case TIME_TEXT -> {
                requireTime(slot, value, JsonTimeWriter.isTime(value), "a time of the day");
                text.at = 0;
                JsonTimeWriter.time(text, value);
                prefixed(text.data, 0, text.at);
            }
            default -> {
                requireTime(slot, value, JsonTimeWriter.isTimestamp(value), YEARS);
                text.at = 0;
                JsonTimeWriter.localTimestamp(text, value);
                prefixed(text.data, 0, text.at);
            }
        }
        closeWrapper(slot);
    }

    private long inRange(int slot, long value) {
        if ((value & ~masks[slot]) != 0) {
            throw outOfRange(slot, "0 to %d, was %d".formatted(masks[slot], value));
        }
        return value;
    }

    private void requireTime(int slot, long value, boolean holds, String expected) {
        if (!holds) {
            throw outOfRange(slot, "%s, was %d microseconds".formatted(expected, value));
        }
    }

    private BadRecordException outOfRange(int slot, String expected) {
        return new BadRecordException(RecordFault.OUT_OF_RANGE, "'%s' must be %s".formatted(tree.path[slot], expected));
    }

    private void secondsAndNanos(int slot, long seconds, long nanos) {
        beginLength(slot);
        if (seconds != 0) {
            out.put(1 << 3);
            out.varint(seconds);
        }
        if (nanos != 0) {
            out.put(2 << 3);
            out.varint(nanos);
        }
        endLength(slot);
    }

    @Override
    void writeFloat64(int slot, double value) {
        openWrapper(slot);
        if (forms[slot] == Form.FLOAT) {
            out.littleInt32(Float.floatToRawIntBits((float) value));
        } else {
            out.littleInt64(Double.doubleToRawLongBits(value));
        }
        closeWrapper(slot);
    }

    @Override
    void writeBytes(int slot, byte[] data, int from, int length) {
        openWrapper(slot);
        writeContent(slot, data, from, length);
        closeWrapper(slot);
    }

    private void writeContent(int slot, byte[] data, int from, int length) {
        switch (forms[slot]) {
            case ENUM -> out.varint(number(slot, data, from, length));
            case UUID_TEXT -> {
                JsonLiterals.uuid(data, from, uuid, 0);
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

    /** Returns the number of a name; a name that is not in the schema must be the digits of its number. */
    private int number(int slot, byte[] data, int from, int length) {
        int index = Objects.requireNonNull(names[slot]).find(data, from, length);
        if (index >= 0) {
            return symbols[slot][index];
        }
        try {
            return Integer.parseInt(new String(data, from, length, StandardCharsets.UTF_8));
        } catch (NumberFormatException e) {
            throw outOfRange(slot, "a name of the enum, or a number of 32 bits");
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
        int[][] groups = oneofs[slot];
        if (groups != null) {
            for (int[] members : groups) {
                requireOne(members);
            }
        }
        if (slot != tree.root) {
            endLength(slot);
        }
    }

    /** Checks that at most one member of a oneof has a value, because readers keep only the last. */
    private void requireOne(int[] members) {
        int found = -1;
        for (int member : members) {
            if (hasField(member)) {
                if (found >= 0) {
                    throw new BadRecordException(
                            RecordFault.OUT_OF_RANGE,
                            "at most one of '%s' and '%s' may have a value, because they are of one oneof"
                                    .formatted(tree.path[found], tree.path[member]));
                }
                found = member;
            }
        }
    }

    /** Starts a list. Elements that are not packed have a tag each. */
    @Override
    void openList(int slot) {
        if (packed[slot]) {
            out.varint(tags[slot]);
            beginLength(slot);
        }
    }

    @Override
    void closeList(int slot, int head, int elements) {
        if (packed[slot] && elements == 0) {
            out.at = head;
        } else if (packed[slot]) {
            endLength(slot);
        }
    }

    @Override
    void openMap(int slot) {
        // Each entry has its own tag and length.
    }

    @Override
    void closeMap(int slot, int head, int entries) {
        if (entries > 0) {
            endLength(slot);
        }
    }
}
