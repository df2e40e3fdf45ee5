package io.thalweg.records.proto;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records the calls of a reader as nested maps and lists. Checks that the calls are well nested, that each slot receives values
 * of its type, and that each field of each struct is reported exactly once. A map becomes a list of alternating keys and values.
 */
final class NaiveRows implements RecordWriter {
    private static final int ROOT = -1;

    private final List<Node> nodes = new ArrayList<>();
    private final Struct schema;
    private final Deque<Frame> open = new ArrayDeque<>();
    private Frame root = new Frame(ROOT, new TreeMap<>(), new ArrayList<>());

    /** The node of a slot. */
    private record Node(String name, int parent, FieldType type) {}

    /** A struct, with its fields, or a list or map, with its elements, that has been entered. */
    private record Frame(int slot, Map<String, @Nullable Object> fields, List<@Nullable Object> elements) {}

    NaiveRows(Struct schema) {
        this.schema = schema;
        number(schema, ROOT);
        open.push(root);
    }

    private void number(FieldType type, int parent) {
        if (type instanceof Struct struct) {
            for (Field field : struct.fields()) {
                number(field.name(), field.type(), parent);
            }
        } else if (type instanceof ListOf list) {
            number("element", list.element(), parent);
        } else if (type instanceof MapOf map) {
            number("key", map.key(), parent);
            number("value", map.value(), parent);
        }
    }

    private void number(String name, FieldType type, int parent) {
        int slot = nodes.size();
        nodes.add(new Node(name, parent, type));
        number(type, slot);
    }

    /** The row that has been reported; the next one can follow. */
    Map<String, @Nullable Object> take() {
        assertThat(open).as("what is open at the end of a message").containsExactly(root);
        assertThat(root.fields().keySet()).containsExactlyInAnyOrderElementsOf(schema.names());
        Map<String, @Nullable Object> row = root.fields();
        clear();
        return row;
    }

    /** Drops a row that ended early. */
    void clear() {
        root = new Frame(ROOT, new TreeMap<>(), new ArrayList<>());
        open.clear();
        open.push(root);
    }

    @Override
    public void bool(int slot, boolean value) {
        put(slot, value, FieldType.Bool.class);
    }

    @Override
    public void int64(int slot, long value) {
        put(slot, value, FieldType.Int.class, FieldType.Timestamp.class);
        if (nodes.get(slot).type() instanceof FieldType.Int type && type.bits() == 32) {
            check(value == (int) value, slot, "has 32 bits, and the value more");
        }
    }

    @Override
    public void float64(int slot, double value) {
        put(slot, value, FieldType.Real.class);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        byte[] value = Arrays.copyOfRange(data, from, from + length);
        boolean isBytes = nodes.get(slot).type() instanceof FieldType.Bytes;
        put(
                slot,
                isBytes ? HexFormat.of().formatHex(value) : new String(value, StandardCharsets.UTF_8),
                FieldType.Bytes.class,
                FieldType.Text.class,
                FieldType.Symbols.class);
    }

    @Override
    public void absent(int slot) {
        put(slot, null);
    }

    @Override
    public void beginStruct(int slot) {
        open.push(new Frame(slot, new TreeMap<>(), new ArrayList<>()));
    }

    @Override
    public void endStruct(int slot) {
        Frame ended = leave(slot);
        Struct struct = (Struct) nodes.get(slot).type();
        check(
                ended.fields().size() == struct.fields().size(),
                slot,
                "lacks fields; it has " + ended.fields().keySet());
        put(slot, ended.fields(), Struct.class);
    }

    @Override
    public void beginList(int slot) {
        beginStruct(slot);
    }

    @Override
    public void endList(int slot) {
        put(slot, leave(slot).elements(), ListOf.class);
    }

    @Override
    public void beginMap(int slot) {
        beginStruct(slot);
    }

    @Override
    public void endMap(int slot) {
        List<@Nullable Object> entries = leave(slot).elements();
        check(entries.size() % 2 == 0, slot, "has a key without a value");
        put(slot, entries, MapOf.class);
    }

    private Frame leave(int slot) {
        Frame ended = open.pop();
        check(ended.slot() == slot, slot, "is left where " + ended.slot() + " was entered");
        return ended;
    }

    private void put(int slot, @Nullable Object value, Class<?>... allowed) {
        Node node = nodes.get(slot);
        Frame frame = open.getFirst();
        check(node.parent() == frame.slot(), slot, "is not a part of slot " + frame.slot());
        check(
                value == null || Arrays.stream(allowed).anyMatch(type -> type.isInstance(node.type())),
                slot,
                "has a wrong type");
        FieldType around =
                frame.slot() == ROOT ? schema : nodes.get(frame.slot()).type();
        if (around instanceof Struct) {
            check(!frame.fields().containsKey(node.name()), slot, "is reported twice");
            frame.fields().put(node.name(), value);
        } else {
            boolean isKey = frame.elements().size() % 2 == 0;
            check(!(around instanceof MapOf) || node.name().equals(isKey ? "key" : "value"), slot, "is out of turn");
            frame.elements().add(value);
        }
    }

    private static void check(boolean holds, int slot, String otherwise) {
        if (!holds) {
            throw new AssertionError("slot " + slot + " " + otherwise);
        }
    }
}
