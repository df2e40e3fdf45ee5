package io.thalweg.tables;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventTimeReader;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.Scalars;
import io.thalweg.formats.TextForm;
import io.thalweg.formats.TimeForm;
import io.thalweg.formats.view.FieldReader;
import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.source.Source;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.table.Table;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Converts rows of a table to rows of a view. A row carries its event time, or the time of the load if the definition names
 * none.
 *
 * <p><b>Missing.</b> A missing, null or NaN feature becomes null; a missing entity or event time makes its row bad.
 *
 * <p><b>Threads.</b> One.
 */
final class TableRows {
    private static final int SHARD = 0;

    private final FeatureView view;
    private final Projection projection;
    private final KeyCodec keys;
    private final FieldReader fields = new FieldReader();
    private final List<FieldReader.Column> entities = new ArrayList<>();
    private final List<Feature> features = new ArrayList<>();
    private final @Nullable EventTimeReader time;
    private final @Nullable TextFeatures text;
    private final long loadMs;

    // The values of a batch: feature f of row i is at i * features + f.
    private int rows;
    private long[] timesMs = {};
    private long[] keyHigh = {};
    private long[] keyLow = {};
    private byte[][] keyBytes = {};
    private long[] low = {};
    private boolean[] nulls = {};
    /** The payloads of features that are not numbers; null if all are numbers. */
    private byte @Nullable [] @Nullable [] payloads;

    /** A feature and the column of its value. */
    private record Feature(Measure.ColumnType type, FieldReader.Column column) {}

    /**
     * Creates a reader of rows.
     *
     * @param untyped whether columns contain only text
     * @param timeForm the unit and zone of the event time's column according to its type
     */
    TableRows(Materialization spec, Projection projection, boolean untyped, TimeForm timeForm, long loadMs) {
        this.view = spec.view();
        this.projection = projection;
        this.keys = new KeyCodec(view);
        this.loadMs = loadMs;
        Table table = spec.table();
        for (Entity.Field entity : view.group()) {
            entities.add(column(entity.field(), entity.type(), table, untyped));
        }
        Table.Text kept = table.text();
        text = kept == null ? null : new TextFeatures(kept, view.columns(), projection.column(kept.field()));
        for (Computation.Column column : view.columns()) {
            ValueType type = fieldType(column.type());
            features.add(new Feature(
                    column.type(),
                    text == null
                            ? column(column.field(), type, table, untyped)
                            : new FieldReader.Column(
                                    column.field().text(), text.column(column.field()), TextForm.UNTYPED, type)));
        }
        if (features.stream().anyMatch(feature -> !feature.type().isNumber())) {
            payloads = new byte[0][];
        }
        Source.EventTime at = table.eventTime();
        FieldPath field = at == null ? null : at.field();
        time = at == null || field == null
                ? null
                : EventTimeReader.ofColumn(
                        at, timeForm, field.text(), projection.column(field), textForm(field, table, untyped));
    }

    /** Returns the type as which a column is read; doubles and lists have readers of their own. */
    private static ValueType fieldType(Measure.ColumnType type) {
        return switch (type) {
            case BOOL -> ValueType.BOOL;
            case STRING -> ValueType.STRING;
            case INT64, DOUBLE, DOUBLE_LIST -> ValueType.INT64;
        };
    }

    private FieldReader.Column column(FieldPath field, ValueType type, Table table, boolean untyped) {
        return new FieldReader.Column(field.text(), projection.column(field), textForm(field, table, untyped), type);
    }

    private static TextForm textForm(FieldPath field, Table table, boolean untyped) {
        return TextForm.of(untyped || isPartition(field, table));
    }

    /** Whether a column is part of the path, as text, regardless of what a file has by that name. */
    static boolean isPartition(FieldPath field, Table table) {
        return table.partitions().contains(field.column());
    }

    /** Returns the columns that a materialization reads, without duplicates. */
    static List<FieldPath> columns(Materialization spec) {
        List<FieldPath> columns = new ArrayList<>();
        spec.view().group().forEach(entity -> columns.add(entity.field()));
        Table.Text text = spec.table().text();
        if (text == null) {
            spec.view().columns().forEach(column -> columns.add(column.field()));
        } else {
            columns.add(text.field());
        }
        Source.EventTime time = spec.table().eventTime();
        FieldPath field = time == null ? null : time.field();
        if (field != null) {
            columns.add(field);
        }
        return columns;
    }

    /** Reads a batch: emits blocks of rows of one time each, and the bad rows. */
    void read(EventColumns from, TableReader.Output out) {
        begin(from.size());
        for (int e = 0; e < from.size(); e++) {
            if (!read(from, e)) {
                out.bad(Objects.requireNonNull(fields.reason()), fields.detail(), from.recordOffset(e), raw(from, e));
            }
        }
        emit(out);
    }

    private void begin(int most) {
        rows = 0;
        if (timesMs.length < most) {
            timesMs = new long[most];
            keyHigh = new long[most];
            keyLow = new long[most];
            keyBytes = new byte[most][];
            low = new long[most * features.size()];
            nulls = new boolean[most * features.size()];
            payloads = payloads == null ? null : new byte[most * features.size()][];
        }
    }

    private boolean read(EventColumns from, int e) {
        fields.begin();
        BadReason undecoded = from.decodeReason(e);
        if (undecoded != null) {
            return fields.bad(undecoded, String.valueOf(from.decodeError(e)));
        }
        if (!readTime(from, e) || !readKey(from, e) || !readFeatures(from, e)) {
            return false;
        }
        rows++;
        return true;
    }

    private boolean readTime(EventColumns from, int e) {
        if (time == null) {
            timesMs[rows] = loadMs;
            return true;
        }
        BadReason unread = time.read(from, e);
        if (unread != null) {
            return fields.bad(unread, time.detail());
        }
        timesMs[rows] = time.timeMs();
        return true;
    }

    private boolean readKey(EventColumns from, int e) {
        List<Object> key = new ArrayList<>(entities.size());
        for (FieldReader.Column column : entities) {
            if (!fields.isFit(column, from, e)) {
                return false;
            }
            key.add(value(column, from, e));
        }
        if (keys.form() == KeyForm.BYTES) {
            keyBytes[rows] = keys.bytes(key);
        } else {
            keyHigh[rows] = keys.high(key);
            keyLow[rows] = keys.low(key);
        }
        return true;
    }

    private static Object value(FieldReader.Column column, EventColumns from, int e) {
        int c = column.column();
        return switch (column.type()) {
            case STRING -> from.string(e, c);
            case INT64 -> FieldReader.integer(from, e, c);
            case BOOL -> FieldReader.bool(from, e, c);
            case UUID ->
                new UUID(
                                Scalars.uuidHi(from.bytes(), from.offset(e, c)),
                                Scalars.uuidLo(from.bytes(), from.offset(e, c)))
                        .toString();
        };
    }

    private boolean readFeatures(EventColumns from, int e) {
        EventColumns values = from;
        int at = e;
        if (text != null) {
            if (!fields.isUnicode(from, e, text.column(), text.field())) {
                return false;
            }
            String wrong = text.read(from, e);
            if (wrong != null) {
                return fields.bad(BadReason.WRONG_TYPE, wrong);
            }
            values = text.values();
            at = 0;
        }
        for (int f = 0; f < features.size(); f++) {
            if (!readFeature(features.get(f), values, at, rows * features.size() + f)) {
                return false;
            }
        }
        return true;
    }

    private boolean readFeature(Feature feature, EventColumns from, int e, int to) {
        FieldReader.Column column = feature.column();
        low[to] = 0;
        if (payloads != null) {
            payloads[to] = null;
        }
        nulls[to] = from.kind(e, column.column()).isAbsent();
        if (nulls[to]) {
            return true;
        }
        return switch (feature.type()) {
            case DOUBLE -> readDouble(column, from, e, to);
            case DOUBLE_LIST -> readList(column, from, e, to);
            case INT64, BOOL, STRING -> readTyped(column, from, e, to);
        };
    }

    private boolean readTyped(FieldReader.Column column, EventColumns from, int e, int to) {
        if (!fields.isFit(column, from, e)) {
            return false;
        }
        int c = column.column();
        switch (column.type()) {
            case STRING -> keep(to, bytes(from, e, c));
            case BOOL -> low[to] = FieldReader.bool(from, e, c) ? 1 : 0;
            case INT64 -> low[to] = FieldReader.integer(from, e, c);
            case UUID -> throw new IllegalStateException("no feature is of type uuid");
        }
        return true;
    }

    private static byte[] bytes(EventColumns from, int e, int c) {
        int offset = from.offset(e, c);
        return Arrays.copyOfRange(from.bytes(), offset, offset + from.length(e, c));
    }

    private void keep(int to, byte[] payload) {
        Objects.requireNonNull(payloads)[to] = payload;
    }

    /** Reads a list from the file, or from text such as {@code [0.5, 1e-3]} if columns contain only text. */
    private boolean readList(FieldReader.Column column, EventColumns from, int e, int to) {
        int c = column.column();
        if (!fields.isUnicode(from, e, c, column.field())) {
            return false;
        }
        byte @Nullable [] list = from.kind(e, c) == FieldKind.LIST
                ? bytes(from, e, c)
                : from.kind(e, c) == FieldKind.STRING && column.text().mayBeNumber()
                        ? DoubleLists.parsed(from.string(e, c))
                        : null;
        if (list == null || !DoubleLists.isFinite(list)) {
            return fields.bad(
                    BadReason.WRONG_TYPE,
                    "'",
                    column.field(),
                    "be a list of finite numbers"
                            + (column.text().mayBeNumber() ? " such as [0.5, 1]" : ", none of them null"),
                    from.shown(e, c));
        }
        keep(to, list);
        return true;
    }

    /** NaN means a missing value, because some writers have no null. */
    private boolean readDouble(FieldReader.Column column, EventColumns from, int e, int to) {
        double value = fields.number(from, e, column.column(), column.text(), column.field());
        if (fields.reason() != null) {
            return false;
        }
        if (Double.isInfinite(value)) {
            return fields.bad(BadReason.WRONG_TYPE, "'" + column.field() + "' must be finite, was " + value);
        }
        nulls[to] = Double.isNaN(value);
        low[to] = nulls[to] ? 0 : Double.doubleToRawLongBits(value);
        return true;
    }

    private void emit(TableReader.Output out) {
        if (rows == 0) {
            return;
        }
        long first = timesMs[0];
        if (IntStream.range(1, rows).allMatch(row -> timesMs[row] == first)) {
            out.rows(block(first, IntStream.range(0, rows).toArray()));
            return;
        }
        Map<Long, List<Integer>> byTime = new LinkedHashMap<>();
        for (int row = 0; row < rows; row++) {
            byTime.computeIfAbsent(timesMs[row], at -> new ArrayList<>(1)).add(row);
        }
        byTime.forEach((at, members) -> out.rows(block(at, array(members))));
    }

    /** Avoids a stream, for tables where every row has a different time. */
    private static int[] array(List<Integer> rows) {
        int[] array = new int[rows.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = rows.get(i);
        }
        return array;
    }

    private KeyedRowBlock block(long timeMs, int[] members) {
        int width = features.size();
        boolean bytes = keys.form() == KeyForm.BYTES;
        int numbers = bytes ? 0 : members.length;
        long[] keyHigh = new long[numbers];
        long[] keyLow = new long[numbers];
        byte @Nullable [][] keyBytes = bytes ? new byte[members.length][] : null;
        long[] low = new long[members.length * width];
        long[] high = new long[members.length * width];
        boolean[] nulls = new boolean[members.length * width];
        byte @Nullable [] @Nullable [] payloads = this.payloads == null ? null : new byte[members.length * width][];
        for (int i = 0; i < members.length; i++) {
            if (keyBytes != null) {
                keyBytes[i] = this.keyBytes[members[i]];
            } else {
                keyHigh[i] = this.keyHigh[members[i]];
                keyLow[i] = this.keyLow[members[i]];
            }
            System.arraycopy(this.low, members[i] * width, low, i * width, width);
            System.arraycopy(this.nulls, members[i] * width, nulls, i * width, width);
            if (payloads != null) {
                System.arraycopy(this.payloads, members[i] * width, payloads, i * width, width);
            }
        }
        for (int f = 0; f < width; f++) {
            if (features.get(f).type() != Measure.ColumnType.DOUBLE) {
                for (int at = f; at < low.length; at += width) {
                    high[at] = low[at] >> 63;
                }
            }
        }
        return new KeyedRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), SHARD, timeMs),
                new KeyColumns(keyHigh, keyLow, keyBytes),
                new ValueColumns(high, low, nulls, payloads));
    }

    /** Returns a bad row in readable form: the line, or the values that were read. */
    private byte[] raw(EventColumns from, int e) {
        int length = from.rawLength(e);
        if (length > 0) {
            return Arrays.copyOfRange(from.raw(e), from.rawOffset(e), from.rawOffset(e) + length);
        }
        StringBuilder out = new StringBuilder("{");
        for (int c = 0; c < projection.size(); c++) {
            out.append(c == 0 ? "" : ",")
                    .append(projection.paths().get(c).text())
                    .append(':')
                    .append(from.shown(e, c));
        }
        return out.append('}').toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }
}
