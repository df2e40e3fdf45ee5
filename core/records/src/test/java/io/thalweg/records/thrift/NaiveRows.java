package io.thalweg.records.thrift;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.Utf8;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts calls back to one nested row, and checks the contract: calls are well nested, each field of a struct is reported
 * exactly once, each value has the type of its slot. Bytes become hexadecimal digits, maps become lists of pairs.
 */
final class NaiveRows implements RecordWriter {
    private static final int ROOT = -1;

    private final List<FieldType> types = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<Integer> parents = new ArrayList<>();
    private final Map<Integer, Integer> fieldCounts = new HashMap<>();
    private final Deque<Open> open = new ArrayDeque<>();

    NaiveRows(Struct target) {
        fields(target, ROOT);
        start();
    }

    /** A struct, list or map that is not complete. */
    private record Open(int slot, Map<String, @Nullable Object> fields, List<@Nullable Object> elements) {}

    static @Nullable Object hex(byte[] bytes) {
        return "0x" + HexFormat.of().formatHex(bytes);
    }

    private void fields(Struct struct, int parent) {
        fieldCounts.put(parent, struct.fields().size());
        for (Field field : struct.fields()) {
            node(field.type(), field.name(), parent);
        }
    }

    private void node(FieldType type, String name, int parent) {
        int slot = types.size();
        types.add(type);
        names.add(name);
        parents.add(parent);
        if (type instanceof Struct struct) {
            fields(struct, slot);
        } else if (type instanceof FieldType.ListOf list) {
            node(list.element(), "", slot);
        } else if (type instanceof FieldType.MapOf map) {
            node(map.key(), "key", slot);
            node(map.value(), "value", slot);
        }
    }

    /** Drops the calls since the last row. */
    void start() {
        open.clear();
        open.push(new Open(ROOT, new HashMap<>(), new ArrayList<>()));
    }

    /** The row, which must be complete. */
    Map<String, @Nullable Object> finish() {
        Open row = open.pop();
        check(row.slot() == ROOT && row.fields().size() == count(ROOT), "row is not complete: " + row);
        start();
        return row.fields();
    }

    private int count(int slot) {
        Integer count = fieldCounts.get(slot);
        check(count != null, "not a struct: " + slot);
        return count == null ? 0 : count;
    }

    private void value(int slot, @Nullable Object value) {
        Open in = open.element();
        check(parents.get(slot) == in.slot(), "slot " + slot + " within " + in.slot());
        if (in.slot() == ROOT || types.get(in.slot()) instanceof Struct) {
            check(!in.fields().containsKey(names.get(slot)), "'" + names.get(slot) + "' twice");
            in.fields().put(names.get(slot), value);
            return;
        }
        if (types.get(in.slot()) instanceof FieldType.MapOf) {
            boolean key = in.elements().size() % 2 == 0;
            check(names.get(slot).equals(key ? "key" : "value"), "key and value must take turns");
        }
        in.elements().add(value);
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }

    @Override
    public void bool(int slot, boolean value) {
        check(types.get(slot) instanceof FieldType.Bool, "not a bool: " + slot);
        value(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        FieldType type = types.get(slot);
        check(
                type instanceof FieldType.Int || type instanceof FieldType.Date || type instanceof FieldType.Timestamp,
                "not an integer: " + type);
        int bits = type instanceof FieldType.Int integer ? integer.bits() : 64;
        check(value << (64 - bits) >> (64 - bits) == value, value + " has more than " + bits + " bits");
        value(slot, value);
    }

    @Override
    public void float64(int slot, double value) {
        check(types.get(slot) instanceof FieldType.Real, "not a number: " + slot);
        value(slot, value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        FieldType type = types.get(slot);
        byte[] value = Arrays.copyOfRange(data, from, from + length);
        if (type instanceof FieldType.Text || type instanceof FieldType.Symbols) {
            check(Utf8.firstMalformed(data, from, length) < 0, "malformed text");
            value(slot, new String(value, StandardCharsets.UTF_8));
        } else {
            check(type instanceof FieldType.Bytes || type instanceof FieldType.Uuid, "not bytes: " + type);
            check(type instanceof FieldType.Bytes || length == 16, "not a UUID");
            value(slot, hex(value));
        }
    }

    @Override
    public void absent(int slot) {
        value(slot, null);
    }

    @Override
    public void beginStruct(int slot) {
        check(types.get(slot) instanceof Struct, "not a struct: " + slot);
        open.push(new Open(slot, new HashMap<>(), new ArrayList<>()));
    }

    @Override
    public void endStruct(int slot) {
        Open ended = close(slot);
        check(ended.fields().size() == count(slot), "struct is not complete: " + ended);
        value(slot, ended.fields());
    }

    @Override
    public void beginList(int slot) {
        check(types.get(slot) instanceof FieldType.ListOf, "not a list: " + slot);
        open.push(new Open(slot, new HashMap<>(), new ArrayList<>()));
    }

    @Override
    public void endList(int slot) {
        value(slot, close(slot).elements());
    }

    @Override
    public void beginMap(int slot) {
        check(types.get(slot) instanceof FieldType.MapOf, "not a map: " + slot);
        open.push(new Open(slot, new HashMap<>(), new ArrayList<>()));
    }

    @Override
    public void endMap(int slot) {
        List<@Nullable Object> elements = close(slot).elements();
        check(elements.size() % 2 == 0, "a key without a value");
        List<@Nullable Object> pairs = new ArrayList<>();
        for (int i = 0; i < elements.size(); i += 2) {
            pairs.add(elements.subList(i, i + 2));
        }
        value(slot, pairs);
    }

    private Open close(int slot) {
        Open ended = open.pop();
        check(ended.slot() == slot, "end of " + slot + " within " + ended.slot());
        return ended;
    }
}
