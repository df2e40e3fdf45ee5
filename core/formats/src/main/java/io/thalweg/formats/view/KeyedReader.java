package io.thalweg.formats.view;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.CompiledCondition;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.Projection;
import io.thalweg.formats.Scalars;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.model.field.Condition;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import io.thalweg.model.view.ValueType;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what a keyed view aggregates of an event: a key of words, the measures that it matches, and the columns that they read.
 */
final class KeyedReader {
    private final FieldReader fields;
    private final KeyCodec codec;
    private final List<FieldReader.Column> keyColumns = new ArrayList<>();
    private final List<List<CompiledCondition>> filters = new ArrayList<>();
    private final List<Input> inputs = new ArrayList<>();
    private final Murmur3Id128 hash = new Murmur3Id128();
    private final long[] values;
    private long keyHigh;
    private long keyLow;
    private long matches;

    /**
     * A field that measures read.
     *
     * @param at its first column among the view's inputs
     * @param always whether a measure without conditions of its own reads it
     * @param filters the other conditions for which it is read, as bits
     */
    private record Input(FieldReader.Column column, KeyedPlan.Kind kind, int at, boolean always, long filters) {
        boolean isRead(long matches) {
            return always || (filters & matches) != 0;
        }
    }

    KeyedReader(FeatureView view, Projection projection, FieldReader fields) {
        this.fields = fields;
        codec = new KeyCodec(view);
        for (Entity.Field entity : view.group()) {
            keyColumns.add(FieldReader.Column.of(entity.field(), entity.type(), projection));
        }
        KeyedPlan plan = KeyedPlan.of(view);
        for (List<Condition> filter : plan.filters()) {
            filters.add(filter.stream()
                    .map(condition -> new CompiledCondition(condition, projection))
                    .toList());
        }
        int columns = 0;
        for (KeyedPlan.Input input : plan.inputs()) {
            inputs.add(input(input, plan.spec().measures(), projection));
            columns += input.columns();
        }
        values = new long[columns];
    }

    private static Input input(KeyedPlan.Input input, List<KeyedMeasure> measures, Projection projection) {
        boolean always = false;
        long readFor = 0;
        for (KeyedMeasure measure : measures) {
            if (measure.kind() != KeyedMeasure.Kind.COUNT && measure.column() == input.column()) {
                always |= measure.filter() == 0;
                readFor |= measure.filter() == 0 ? 0 : 1L << (measure.filter() - 1);
            }
        }
        ValueType type = switch (input.kind()) {
            case INT64, DOUBLE, ID_INT64 -> ValueType.INT64;
            case ID_UUID -> ValueType.UUID;
            case ID_STRING -> ValueType.STRING;
        };
        FieldReader.Column column = FieldReader.Column.of(input.field(), type, projection);
        return new Input(column, input.kind(), input.column(), always, readFor);
    }

    /** Whether keys are bytes, which this class does not read. */
    boolean keysAreBytes() {
        return codec.form() == KeyForm.BYTES;
    }

    long keyHigh() {
        return keyHigh;
    }

    long keyLow() {
        return keyLow;
    }

    /** Returns the values of a key of words. */
    List<Object> key() {
        return codec.decode(keyHigh, keyLow, null);
    }

    /** As in {@link io.thalweg.kernel.keyed.KeyedBlock#matches}. */
    long matches() {
        return matches;
    }

    /** As in {@link io.thalweg.kernel.keyed.KeyedBlock#inputs}: of the last event, not a copy. */
    long[] values() {
        return values;
    }

    /** Reads a key of words. */
    boolean readKey(EventColumns events, int e) {
        keyHigh = 0;
        for (FieldReader.Column column : keyColumns) {
            int c = column.column();
            if (!fields.isFit(column, events, e)) {
                return false;
            }
            if (column.type() == ValueType.UUID) {
                keyHigh = Scalars.uuidHi(events.bytes(), events.offset(e, c));
                keyLow = Scalars.uuidLo(events.bytes(), events.offset(e, c));
            } else {
                keyHigh = keyColumns.size() == 1 ? 0 : keyLow;
                keyLow = column.type() == ValueType.INT64
                        ? FieldReader.integer(events, e, c)
                        : FieldReader.bool(events, e, c) ? 1 : 0;
            }
        }
        return true;
    }

    /** Reads which measures the event matches, and the inputs of those measures. */
    boolean readInputs(EventColumns events, int e) {
        if (!readMatches(events, e)) {
            return false;
        }
        for (int i = 0; i < inputs.size(); i++) {
            Input input = inputs.get(i);
            if (input.isRead(matches) && !readValue(input, events, e)) {
                return false;
            }
        }
        return true;
    }

    private boolean readMatches(EventColumns events, int e) {
        matches = 0;
        for (int f = 0; f < filters.size(); f++) {
            List<CompiledCondition> filter = filters.get(f);
            boolean holds = true;
            for (int i = 0; i < filter.size(); i++) {
                if (!fields.isFit(filter.get(i), events, e)) {
                    return false;
                }
                holds &= filter.get(i).matches(events, e);
            }
            matches |= holds ? 1L << f : 0;
        }
        return true;
    }

    private boolean readValue(Input input, EventColumns events, int e) {
        FieldReader.Column column = input.column();
        int c = column.column();
        if (input.kind() == KeyedPlan.Kind.DOUBLE) {
            return readDouble(input, events, e);
        }
        if (!fields.isFit(column, events, e)) {
            return false;
        }
        byte[] bytes = events.bytes();
        int offset = events.offset(e, c);
        switch (input.kind()) {
            case ID_UUID -> put(input, Scalars.uuidHi(bytes, offset), Scalars.uuidLo(bytes, offset));
            case ID_STRING -> {
                hash.hash(bytes, offset, events.length(e, c));
                put(input, hash.hi(), hash.lo());
            }
            default -> values[input.at()] = FieldReader.integer(events, e, c);
        }
        return true;
    }

    private boolean readDouble(Input input, EventColumns events, int e) {
        FieldReader.Column column = input.column();
        double value = fields.number(events, e, column.column(), column.text(), column.field());
        values[input.at()] = Double.doubleToRawLongBits(value);
        if (fields.reason() != null) {
            return false;
        }
        return Double.isFinite(value)
                || fields.bad(
                        BadReason.WRONG_TYPE,
                        "'",
                        column.field(),
                        "be a finite number",
                        events.shown(e, column.column()));
    }

    private void put(Input input, long high, long low) {
        values[input.at()] = high;
        values[input.at() + 1] = low;
    }
}
