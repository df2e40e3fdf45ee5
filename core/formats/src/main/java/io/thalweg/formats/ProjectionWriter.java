package io.thalweg.formats;

import io.thalweg.model.field.FieldPath;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes the selected fields of a record to the columns of the last event, as the JSON decoder would for an event with the same
 * values: UUIDs as text, decimals as numbers, numbers that are not finite as text; for structs, lists, maps and bytes only their
 * presence. Times are the integers that readers report. Null counts as missing, because readers do not distinguish them.
 *
 * <p><b>Threads.</b> One.
 */
final class ProjectionWriter implements RecordWriter {
    private static final int UUID_CHARS = 36;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int NOT_SELECTED = -1;

    private final int[] columnOfSlot;
    private final FieldType[] typeOfSlot;
    private final byte[] uuid = new byte[UUID_CHARS];
    private EventColumns events;
    private int depth;

    /**
     * Creates a writer to columns.
     *
     * @param target of the {@link #selection}, compiled
     */
    ProjectionWriter(Projection projection, Struct target) {
        this.events = new EventColumns(projection);
        columnOfSlot = new int[target.slots()];
        typeOfSlot = new FieldType[target.slots()];
        Arrays.fill(columnOfSlot, NOT_SELECTED);
        List<Integer> columns = columns(projection);
        int slot = 0;
        for (int i = 0; i < columns.size(); i++) {
            Field field = target.fields().get(i);
            columnOfSlot[slot] = columns.get(i);
            typeOfSlot[slot] = field.type();
            slot += FieldType.slots(field.type());
        }
    }

    /** Returns the event fields that a projection names, in its order, except those of the Kafka record. */
    static Selection selection(Projection projection) {
        List<Selection.Column> selected = new ArrayList<>();
        for (int column : columns(projection)) {
            FieldPath path = projection.paths().get(column);
            selected.add(new Selection.Column(path.text(), path.segments()));
        }
        return new Selection(selected);
    }

    private static List<Integer> columns(Projection projection) {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < projection.paths().size(); column++) {
            if (!projection.paths().get(column).isRecordField()) {
                columns.add(column);
            }
        }
        return columns;
    }

    /** Begins a record, whose fields are written to the last event of {@code into}. */
    RecordWriter begin(EventColumns into) {
        events = into;
        depth = 0;
        return this;
    }

    /** Returns the column of a slot; parts of structs, lists and maps have none. */
    private int column(int slot) {
        return depth == 0 ? columnOfSlot[slot] : NOT_SELECTED;
    }

    @Override
    public void bool(int slot, boolean value) {
        int column = column(slot);
        if (column >= 0) {
            events.putBool(column, value);
        }
    }

    @Override
    public void int64(int slot, long value) {
        int column = column(slot);
        if (column >= 0) {
            events.putBinary(column, value);
        }
    }

    @Override
    public void float64(int slot, double value) {
        int column = column(slot);
        if (column < 0) {
            return;
        }
        if (Double.isFinite(value)) {
            events.putBinary(column, value);
        } else {
            putText(column, Double.toString(value));
        }
    }

    private void putText(int column, String ascii) {
        byte[] text = ascii.getBytes(StandardCharsets.US_ASCII);
        events.putBytes(column, text, 0, text.length);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        int column = column(slot);
        if (column < 0) {
            return;
        }
        FieldType type = typeOfSlot[slot];
        if (type instanceof Uuid) {
            putUuid(column, data, from);
        } else if (type instanceof Decimal decimal) {
            putDecimal(column, new BigDecimal(new BigInteger(data, from, length), decimal.scale()));
        } else if (type instanceof Bytes) {
            events.put(column, FieldKind.OTHER);
        } else {
            events.putBytes(column, data, from, length);
        }
    }

    private void putUuid(int column, byte[] data, int from) {
        int at = 0;
        for (int i = 0; i < 16; i++) {
            if (i == 4 || i == 6 || i == 8 || i == 10) {
                uuid[at++] = '-';
            }
            uuid[at++] = HEX[(data[from + i] >> 4) & 0xF];
            uuid[at++] = HEX[data[from + i] & 0xF];
        }
        events.putBytes(column, uuid, 0, UUID_CHARS);
    }

    private void putDecimal(int column, BigDecimal value) {
        String text = value.toPlainString();
        putText(column, text);
        events.toNumber(column, text.length(), value.scale() == 0);
    }

    @Override
    public void absent(int slot) {
        int column = column(slot);
        if (column >= 0) {
            events.put(column, FieldKind.MISSING);
        }
    }

    private void begin(int slot) {
        int column = column(slot);
        if (column >= 0) {
            events.put(column, FieldKind.OTHER);
        }
        depth++;
    }

    @Override
    public void beginStruct(int slot) {
        begin(slot);
    }

    @Override
    public void endStruct(int slot) {
        depth--;
    }

    @Override
    public void beginList(int slot) {
        begin(slot);
    }

    @Override
    public void endList(int slot) {
        depth--;
    }

    @Override
    public void beginMap(int slot) {
        begin(slot);
    }

    @Override
    public void endMap(int slot) {
        depth--;
    }
}
