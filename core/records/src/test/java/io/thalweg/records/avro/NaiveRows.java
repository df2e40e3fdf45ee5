package io.thalweg.records.avro;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the calls of a reader as nested maps and lists, and fails if they break the contract of {@link RecordWriter}. Text is
 * a {@code String}, bytes and UUIDs are a {@code ByteBuffer}, decimals a {@code BigInteger}.
 */
final class NaiveRows implements RecordWriter {
    private static final int ROOT = -1;

    /** A node of the target; an element has no name, the key of a map is named "key". */
    private record Node(int parent, String name, FieldType type) {}

    /** A struct, list or map that is being filled. */
    private static final class Frame {
        final int slot;
        final int size;
        final Map<String, @Nullable Object> fields = new HashMap<>();
        final List<@Nullable Object> elements = new ArrayList<>();

        @Nullable
        String key;

        Frame(int slot, int size) {
            this.slot = slot;
            this.size = size;
        }
    }

    private final List<Node> nodes = new ArrayList<>();
    private final Struct target;
    private final Deque<Frame> open = new ArrayDeque<>();

    NaiveRows(Struct target) {
        this.target = target;
        addFields(ROOT, target);
        reset();
    }

    private void addFields(int parent, Struct struct) {
        for (Field field : struct.fields()) {
            add(parent, field.name(), field.type());
        }
    }

    private void add(int parent, String name, FieldType type) {
        int slot = nodes.size();
        nodes.add(new Node(parent, name, type));
        if (type instanceof Struct struct) {
            addFields(slot, struct);
        } else if (type instanceof FieldType.ListOf list) {
            add(slot, "", list.element());
        } else if (type instanceof FieldType.MapOf map) {
            add(slot, "key", map.key());
            add(slot, "", map.value());
        }
    }

    void reset() {
        open.clear();
        open.push(new Frame(ROOT, target.fields().size()));
    }

    /** The record, which must be complete. */
    Map<String, @Nullable Object> take() {
        if (open.size() != 1) {
            throw new AssertionError(open.size() - 1 + " values were left open");
        }
        Map<String, @Nullable Object> fields = complete(open.pop());
        reset();
        return fields;
    }

    private static Map<String, @Nullable Object> complete(Frame frame) {
        if (frame.fields.size() != frame.size) {
            throw new AssertionError("slot " + frame.slot + " has only the fields " + frame.fields.keySet());
        }
        return frame.fields;
    }

    private void put(int slot, @Nullable Object value) {
        Node node = nodes.get(slot);
        Frame frame = open.element();
        if (node.parent() != frame.slot) {
            throw new AssertionError("'" + node.name() + "' is reported within slot " + frame.slot);
        }
        FieldType parent = frame.slot == ROOT ? target : nodes.get(frame.slot).type();
        if (parent instanceof FieldType.ListOf) {
            frame.elements.add(value);
        } else if (parent instanceof FieldType.MapOf) {
            putEntry(frame, node, value);
        } else if (frame.fields.containsKey(node.name())) {
            throw new AssertionError("'" + node.name() + "' is reported twice");
        } else {
            frame.fields.put(node.name(), value);
        }
    }

    private static void putEntry(Frame frame, Node node, @Nullable Object value) {
        if (node.name().equals("key") == (frame.key != null)) {
            throw new AssertionError("the calls for a map must alternate between key and value");
        }
        if (frame.key == null) {
            frame.key = (String) value;
        } else {
            frame.fields.put(frame.key, value);
            frame.key = null;
        }
    }

    private void require(int slot, Class<?>... types) {
        FieldType type = nodes.get(slot).type();
        if (Arrays.stream(types).noneMatch(allowed -> allowed.isInstance(type))) {
            throw new AssertionError(type + " is reported as " + Arrays.toString(types));
        }
    }

    @Override
    public void bool(int slot, boolean value) {
        require(slot, FieldType.Bool.class);
        put(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        require(slot, FieldType.Int.class, FieldType.Date.class, FieldType.Time.class, FieldType.Timestamp.class);
        put(slot, value);
    }

    @Override
    public void float64(int slot, double value) {
        require(slot, FieldType.Real.class);
        put(slot, value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        byte[] bytes = Arrays.copyOfRange(data, from, from + length);
        FieldType type = nodes.get(slot).type();
        if (type instanceof FieldType.Text || type instanceof FieldType.Symbols) {
            put(slot, new String(bytes, StandardCharsets.UTF_8));
        } else if (type instanceof FieldType.Decimal) {
            if (length < 1 || length > 16) {
                throw new AssertionError("a decimal has " + length + " bytes");
            }
            put(slot, new BigInteger(bytes));
        } else {
            require(slot, FieldType.Bytes.class, FieldType.Uuid.class);
            put(slot, ByteBuffer.wrap(bytes));
        }
    }

    @Override
    public void absent(int slot) {
        put(slot, null);
    }

    @Override
    public void beginStruct(int slot) {
        require(slot, Struct.class);
        open.push(new Frame(slot, ((Struct) nodes.get(slot).type()).fields().size()));
    }

    @Override
    public void endStruct(int slot) {
        put(slot, complete(end(slot)));
    }

    @Override
    public void beginList(int slot) {
        require(slot, FieldType.ListOf.class);
        open.push(new Frame(slot, 0));
    }

    @Override
    public void endList(int slot) {
        put(slot, end(slot).elements);
    }

    @Override
    public void beginMap(int slot) {
        require(slot, FieldType.MapOf.class);
        open.push(new Frame(slot, 0));
    }

    @Override
    public void endMap(int slot) {
        Frame frame = end(slot);
        if (frame.key != null) {
            throw new AssertionError("key '" + frame.key + "' has no value");
        }
        put(slot, frame.fields);
    }

    private Frame end(int slot) {
        Frame frame = open.pop();
        if (frame.slot != slot) {
            throw new AssertionError("slot " + slot + " ends, but " + frame.slot + " is open");
        }
        return frame;
    }
}
