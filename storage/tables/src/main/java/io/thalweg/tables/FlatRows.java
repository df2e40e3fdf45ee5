package io.thalweg.tables;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCells;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Collects the rows of a view as flat columns: one for each entity, {@code window_end} as a timestamp, {@code finality}, and one for each
 * feature.
 *
 * <p><b>Types.</b> Cells and UUIDs are text; features are doubles, whole numbers of 64 bits, or text; a list is text such as
 * {@code [0.5, 1.0]}. A value that is absent is null.
 *
 * <p><b>For Feast</b>, cells and booleans are whole numbers, as Feast's join keys are, and {@value #READABLE_AT} follows the features: Feast
 * joins by one time, which must be the time since when a row could be read.
 *
 * <p><b>Threads.</b> One.
 */
public final class FlatRows {
    /** When a row became readable, a timestamp. */
    public static final String READABLE_AT = "readable_at";

    private final FeatureView view;
    private final RowCells cells;
    /** Kept, because the view builds this list at each call. */
    private final List<String> features;

    /** Null for rows that are not for Feast. */
    private final @Nullable LongUnaryOperator readableAtMs;

    private final ColumnWriter columns;

    /** Creates an empty batch. */
    public FlatRows(FeatureView view) {
        this(view, null);
    }

    /**
     * Creates an empty batch of rows for Feast.
     *
     * @param readableAtMs returns when the rows of a window end were readable, epoch ms; {@code Long.MAX_VALUE} for rows that never
     *     were, which are left out
     */
    static FlatRows forFeast(FeatureView view, LongUnaryOperator readableAtMs) {
        return new FlatRows(view, readableAtMs);
    }

    private FlatRows(FeatureView view, @Nullable LongUnaryOperator readableAtMs) {
        this.view = view;
        this.cells = RowCells.of(view);
        this.features = view.featureNames();
        this.readableAtMs = readableAtMs;
        this.columns = new ColumnWriter(schema());
    }

    /** The columns of the rows. */
    Struct schema() {
        return readableAtMs == null ? columns(view) : columnsForFeast(view);
    }

    /**
     * Adds the rows of a block of this view.
     *
     * @throws IOException for a whole number of more than 64 bits; the message names the feature and the remedy
     */
    public void add(RowBlock block) throws IOException {
        long readableMs = readableAtMs == null ? 0 : readableAtMs.applyAsLong(block.windowEndMs());
        if (readableMs == Long.MAX_VALUE) {
            return;
        }
        for (int row = 0; row < block.rows(); row++) {
            columns.begin();
            int column = 0;
            List<Object> key = cells.key(block, row);
            for (int i = 0; i < key.size(); i++) {
                put(columns, column++, key(view.entities().get(i), key.get(i)));
            }
            columns.int64(column++, Math.multiplyExact(block.windowEndMs(), 1_000));
            put(columns, column++, block.finality().name());
            for (int feature = 0; feature < features.size(); feature++) {
                put(columns, column++, narrowed(feature, cells.value(block, row, feature)));
            }
            if (readableAtMs != null) {
                columns.int64(column, Math.multiplyExact(readableMs, 1_000));
            }
            columns.end();
        }
    }

    private Object key(Entity entity, Object value) {
        if (readableAtMs == null) {
            return entity instanceof Entity.Cell ? Long.toHexString((Long) value) : value;
        }
        return value instanceof Boolean bool ? (Object) (bool ? 1L : 0L) : value;
    }

    private @Nullable Object narrowed(int feature, @Nullable Object value) throws IOException {
        if (!(value instanceof BigInteger)) {
            return value;
        }
        throw new IOException(
                "the value of feature %s of view %s has more than 64 bits: %s; give its measure type: double, or write .jsonl, or offline.format: packed"
                        .formatted(features.get(feature), view.qualifiedName(), value));
    }

    /** Adds a value of a column of one of the {@link #columns types}; null = absent. */
    public static void put(ColumnWriter columns, int column, @Nullable Object value) {
        if (value == null) {
            columns.absent(column);
        } else if (value instanceof Double number) {
            columns.float64(column, number);
        } else if (value instanceof Long number) {
            columns.int64(column, number);
        } else if (value instanceof Boolean bool) {
            columns.bool(column, bool);
        } else {
            byte[] text = value.toString().getBytes(StandardCharsets.UTF_8);
            columns.bytes(column, text, 0, text.length);
        }
    }

    /** The number of rows. */
    public int rows() {
        return columns.rows();
    }

    /** Returns the rows and starts an empty batch. */
    public ColumnBatch take() {
        return columns.take();
    }

    /** Returns the columns of a view's rows. */
    public static Struct columns(FeatureView view) {
        List<Field> fields = new ArrayList<>();
        for (Entity entity : view.entities()) {
            fields.add(Field.required(entity.name(), type(entity)));
        }
        fields.add(Field.required("window_end", FieldType.TIMESTAMP));
        fields.add(Field.required("finality", FieldType.TEXT));
        List<String> names = view.featureNames();
        List<String> types = view.featureTypes();
        for (int i = 0; i < types.size(); i++) {
            fields.add(Field.optional(names.get(i), featureType(types.get(i))));
        }
        return new Struct(fields);
    }

    /**
     * Returns the column of a feature.
     *
     * @param type as {@link FeatureView#featureTypes} names it
     */
    public static FieldType.Scalar featureType(String type) {
        return switch (type) {
            case "int64" -> FieldType.INT64;
            case "double" -> FieldType.DOUBLE;
            default -> FieldType.TEXT;
        };
    }

    private static Struct columnsForFeast(FeatureView view) {
        List<Field> fields = new ArrayList<>(columns(view).fields());
        for (int i = 0; i < view.entities().size(); i++) {
            Entity entity = view.entities().get(i);
            if (entity instanceof Entity.Cell || type(entity) instanceof FieldType.Bool) {
                fields.set(i, Field.required(entity.name(), FieldType.INT64));
            }
        }
        fields.add(Field.required(READABLE_AT, FieldType.TIMESTAMP));
        return new Struct(fields);
    }

    private static FieldType.Scalar type(Entity entity) {
        if (entity instanceof Entity.Field field) {
            return switch (field.type()) {
                case INT64 -> FieldType.INT64;
                case BOOL -> FieldType.BOOL;
                case STRING, UUID -> FieldType.TEXT;
            };
        }
        return FieldType.TEXT;
    }
}
