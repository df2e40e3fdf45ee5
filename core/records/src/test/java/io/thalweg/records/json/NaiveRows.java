package io.thalweg.records.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.RecordWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the calls for one message: a struct as a map from slots to values, a list as its elements, a map as alternating keys
 * and values. Fails if calls are not well nested or a field is a duplicate.
 */
final class NaiveRows implements RecordWriter {
    private interface Open {
        int slot();

        void add(int slot, @Nullable Object value);

        Object value();
    }

    private record OpenStruct(int slot, TreeMap<Integer, @Nullable Object> fields) implements Open {
        @Override
        public void add(int field, @Nullable Object value) {
            assertThat(field).as("field of the struct at %d", slot).isGreaterThan(slot);
            assertThat(fields.containsKey(field))
                    .as("slot %d is written twice", field)
                    .isFalse();
            fields.put(field, value);
        }

        @Override
        public Object value() {
            return fields;
        }
    }

    private record OpenElements(int slot, boolean isMap, List<@Nullable Object> elements) implements Open {
        @Override
        public void add(int element, @Nullable Object value) {
            int behind = isMap && elements.size() % 2 == 1 ? 2 : 1;
            assertThat(element).as("element of the list or map at %d", slot).isEqualTo(slot + behind);
            elements.add(value);
        }

        @Override
        public Object value() {
            assertThat(isMap && elements.size() % 2 == 1).isFalse();
            return elements;
        }
    }

    private final Deque<Open> open = new ArrayDeque<>();
    int calls;

    NaiveRows() {
        open.push(new OpenStruct(-1, new TreeMap<>()));
    }

    /** The row, once the message was read. */
    Object row() {
        assertThat(open).hasSize(1);
        return open.element().value();
    }

    /** Returns a value of {@link #bytes} in the form of the rows. */
    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private void add(int slot, @Nullable Object value) {
        calls++;
        open.element().add(slot, value);
    }

    private void end(int slot) {
        Open closed = open.pop();
        assertThat(closed.slot()).isEqualTo(slot);
        add(slot, closed.value());
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
        add(slot, hex(Arrays.copyOfRange(data, from, from + length)));
    }

    @Override
    public void absent(int slot) {
        add(slot, null);
    }

    @Override
    public void beginStruct(int slot) {
        open.push(new OpenStruct(slot, new TreeMap<>()));
    }

    @Override
    public void endStruct(int slot) {
        end(slot);
    }

    @Override
    public void beginList(int slot) {
        open.push(new OpenElements(slot, false, new ArrayList<>()));
    }

    @Override
    public void endList(int slot) {
        end(slot);
    }

    @Override
    public void beginMap(int slot) {
        open.push(new OpenElements(slot, true, new ArrayList<>()));
    }

    @Override
    public void endMap(int slot) {
        end(slot);
    }
}
