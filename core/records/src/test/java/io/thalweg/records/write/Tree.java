package io.thalweg.records.write;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Records as objects: a struct is a list of the values of its fields, a list a list, a map a list of lists of two; numbers are
 * {@code Long} and {@code Double}, bytes {@code ByteBuffer}, and absent values null. The writer collects a record; {@link #play}
 * reports one.
 */
public final class Tree implements RecordWriter {
    private final SlotTree slots;
    private final Deque<List<@Nullable Object>> open = new ArrayDeque<>();

    public Tree(Struct schema) {
        slots = new SlotTree(schema);
        clear();
    }

    /** Starts a record. */
    public void clear() {
        open.clear();
        open.push(emptyStruct(slots.root));
    }

    /** The record. */
    public List<@Nullable Object> record() {
        return open.element();
    }

    private List<@Nullable Object> emptyStruct(int slot) {
        return new ArrayList<>(Collections.nCopies(slots.children[slot].length, null));
    }

    private void add(int slot, @Nullable Object value) {
        switch (slots.role[slot]) {
            case SlotTree.FIELD -> open.element().set(slots.index[slot], value);
            case SlotTree.ELEMENT -> open.element().add(value);
            case SlotTree.KEY -> open.element().add(new ArrayList<>(Arrays.asList(value)));
            default -> last().add(value);
        }
    }

    @SuppressWarnings("unchecked")
    private List<@Nullable Object> last() {
        List<@Nullable Object> entries = open.element();
        return (List<@Nullable Object>) entries.get(entries.size() - 1);
    }

    @Override
    public void bool(int slot, boolean value) {
        add(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        add(slot, value);
    }

    @Override
    public void float64(int slot, double value) {
        add(slot, value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        add(slot, ByteBuffer.wrap(Arrays.copyOfRange(data, from, from + length)));
    }

    @Override
    public void absent(int slot) {
        add(slot, null);
    }

    private void begin(int slot, List<@Nullable Object> value) {
        add(slot, value);
        open.push(value);
    }

    @Override
    public void beginStruct(int slot) {
        begin(slot, emptyStruct(slot));
    }

    @Override
    public void endStruct(int slot) {
        open.pop();
    }

    @Override
    public void beginList(int slot) {
        begin(slot, new ArrayList<>());
    }

    @Override
    public void endList(int slot) {
        open.pop();
    }

    @Override
    public void beginMap(int slot) {
        begin(slot, new ArrayList<>());
    }

    @Override
    public void endMap(int slot) {
        open.pop();
    }

    /** Reports a record; fields in a random order if {@code shuffle} is given. */
    public static void play(Struct schema, List<?> record, RecordWriter writer, @Nullable Random shuffle) {
        fields(schema, 0, record, writer, shuffle);
    }

    private static void fields(
            Struct struct, int first, List<?> values, RecordWriter writer, @Nullable Random shuffle) {
        int[] slots = new int[values.size()];
        List<Integer> order = new ArrayList<>();
        int next = first;
        for (int i = 0; i < slots.length; i++) {
            slots[i] = next;
            next += FieldType.slots(struct.fields().get(i).type());
            order.add(i);
        }
        if (shuffle != null) {
            Collections.shuffle(order, shuffle);
        }
        for (int i : order) {
            value(struct.fields().get(i).type(), slots[i], values.get(i), writer, shuffle);
        }
    }

    private static void value(
            FieldType type, int slot, @Nullable Object value, RecordWriter writer, @Nullable Random shuffle) {
        if (value == null) {
            writer.absent(slot);
        } else if (value instanceof Boolean bool) {
            writer.bool(slot, bool);
        } else if (value instanceof Long number) {
            writer.int64(slot, number);
        } else if (value instanceof Double number) {
            writer.float64(slot, number);
        } else if (value instanceof ByteBuffer bytes) {
            byte[] data = new byte[bytes.remaining()];
            bytes.duplicate().get(data);
            writer.bytes(slot, data, 0, data.length);
        } else if (type instanceof Struct struct) {
            writer.beginStruct(slot);
            fields(struct, slot + 1, (List<?>) value, writer, shuffle);
            writer.endStruct(slot);
        } else if (type instanceof ListOf list) {
            writer.beginList(slot);
            ((List<?>) value).forEach(element -> value(list.element(), slot + 1, element, writer, shuffle));
            writer.endList(slot);
        } else {
            MapOf map = (MapOf) type;
            writer.beginMap(slot);
            for (Object entry : (List<?>) value) {
                value(map.key(), slot + 1, ((List<?>) entry).get(0), writer, shuffle);
                value(map.value(), slot + 2, ((List<?>) entry).get(1), writer, shuffle);
            }
            writer.endMap(slot);
        }
    }
}
