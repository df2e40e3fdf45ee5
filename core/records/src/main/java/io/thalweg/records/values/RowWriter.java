package io.thalweg.records.values;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects a message as a row.
 *
 * <p><b>Use.</b> For each message call {@link #begin}, pass the calls of a reader, then call {@link #row}. An abandoned message
 * needs no clean-up.
 *
 * <p><b>Errors.</b> {@link BadRecordException} for a time of day that does not exist.
 *
 * <p><b>Threads.</b> One.
 */
public final class RowWriter implements RecordWriter {
    /** The role of a node in the enclosing struct, list or map. */
    private enum Role {
        FIELD,
        ELEMENT,
        KEY,
        VALUE
    }

    private static final long MICROS = 1_000_000;
    private static final long MICROS_OF_DAY = 86_400 * MICROS;

    private final RowShape shape;
    private final int root;
    private final FieldType[] type;
    private final String[] path;
    private final Role[] role;
    /** The slot of the struct, list or map that encloses a node. */
    private final int[] parent;
    /** For fields: the position in the row. */
    private final int[] position;
    /** For structs: the shape of their rows. */
    private final @Nullable RowShape[] shapes;
    /** By the slot of a struct, list or map: the instance being filled. A schema does not recurse, so there is at most one. */
    private final @Nullable Object[] open;
    /** By the slot of a map: the key of the next entry. */
    private final @Nullable Object[] key;

    /**
     * Creates a writer for messages of a schema.
     *
     * @param shape of the rows; contains the fields of the schema and possibly further ones, which stay empty
     */
    public RowWriter(Struct schema, RowShape shape) {
        this.shape = shape;
        root = schema.slots();
        type = new FieldType[root];
        path = new String[root];
        role = new Role[root];
        parent = new int[root];
        position = new int[root];
        shapes = new RowShape[root];
        open = new Object[root + 1];
        key = new Object[root];
        fields(schema, root, 0, shape, "");
    }

    private void fields(Struct struct, int within, int first, RowShape rows, String prefix) {
        int slot = first;
        for (Field field : struct.fields()) {
            position[slot] = rows.indexOf(field.name());
            node(slot, field.type(), within, Role.FIELD, prefix + field.name(), () -> rows.within(field.name()));
            slot += FieldType.slots(field.type());
        }
    }

    private void node(int slot, FieldType of, int within, Role as, String called, Supplier<RowShape> inside) {
        type[slot] = of;
        path[slot] = called;
        parent[slot] = within;
        role[slot] = as;
        if (of instanceof Struct struct) {
            RowShape rows = inside.get();
            shapes[slot] = rows;
            fields(struct, slot, slot + 1, rows, called + ".");
        } else if (of instanceof ListOf list) {
            node(slot + 1, list.element(), slot, Role.ELEMENT, called, inside);
        } else if (of instanceof MapOf map) {
            node(slot + 1, map.key(), slot, Role.KEY, called, inside);
            node(slot + 2, map.value(), slot, Role.VALUE, called, inside);
        }
    }

    /** Starts a message. */
    public void begin() {
        open[root] = new Row(shape);
    }

    /** The message started last. */
    public Row row() {
        return (Row) Objects.requireNonNull(open[root], "begin comes first");
    }

    @SuppressWarnings("unchecked")
    private void add(int slot, @Nullable Object value) {
        Object around = Objects.requireNonNull(open[parent[slot]]);
        switch (role[slot]) {
            case FIELD -> ((Row) around).setAt(position[slot], value);
            case ELEMENT -> ((List<@Nullable Object>) around).add(value);
            case KEY -> key[parent[slot]] = value;
            case VALUE -> ((Map<@Nullable Object, @Nullable Object>) around).put(key[parent[slot]], value);
        }
    }

    @Override
    public void bool(int slot, boolean value) {
        add(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        FieldType of = type[slot];
        if (of instanceof Timestamp timestamp) {
            add(slot, timestamp.utc() ? instant(value) : LocalDateTime.ofInstant(instant(value), ZoneOffset.UTC));
        } else if (of instanceof Date) {
            add(slot, LocalDate.ofEpochDay(value));
        } else if (of instanceof Time) {
            add(slot, time(path[slot], value));
        } else {
            add(slot, value);
        }
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * 1_000);
    }

    private static LocalTime time(String path, long micros) {
        if (micros < 0 || micros >= MICROS_OF_DAY) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'" + path + "' must be a time within 24 hours, was " + micros + " microseconds");
        }
        return LocalTime.ofNanoOfDay(micros * 1_000);
    }

    @Override
    public void float64(int slot, double value) {
        add(slot, value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        FieldType of = type[slot];
        if (of instanceof FieldType.Bytes) {
            add(slot, Arrays.copyOfRange(data, from, from + length));
        } else if (of instanceof Decimal decimal) {
            add(slot, new BigDecimal(new BigInteger(data, from, length), decimal.scale()));
        } else if (of instanceof Uuid) {
            ByteBuffer halves = ByteBuffer.wrap(data, from, length);
            add(slot, new UUID(halves.getLong(), halves.getLong()));
        } else {
            add(slot, new String(data, from, length, StandardCharsets.UTF_8));
        }
    }

    @Override
    public void absent(int slot) {
        add(slot, null);
    }

    @Override
    public void beginStruct(int slot) {
        begin(slot, new Row(Objects.requireNonNull(shapes[slot])));
    }

    private void begin(int slot, Object value) {
        add(slot, value);
        open[slot] = value;
    }

    @Override
    public void endStruct(int slot) {
        // The row was put in its place when it was started.
    }

    @Override
    public void beginList(int slot) {
        begin(slot, new ArrayList<>());
    }

    @Override
    public void endList(int slot) {
        // The list was put in its place when it was started.
    }

    @Override
    public void beginMap(int slot) {
        begin(slot, new LinkedHashMap<>());
    }

    @Override
    public void endMap(int slot) {
        // The map was put in its place when it was started.
    }
}
