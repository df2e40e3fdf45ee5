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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the rows of a view as flat columns: one for each entity, {@code window_end} as a timestamp, {@code finality}, and one for each
 * feature.
 *
 * <p><b>Types.</b> Cells and UUIDs are text; features are doubles or whole numbers of 64 bits. A value that is absent is null.
 *
 * <p><b>Threads.</b> One.
 */
public final class FlatRows {
    private final FeatureView view;
    private final RowCells cells;
    /** Kept, because the view builds this list at each call. */
    private final List<String> features;

    private final ColumnWriter columns;

    /** Creates an empty batch. */
    public FlatRows(FeatureView view) {
        this.view = view;
        this.cells = RowCells.of(view);
        this.features = view.featureNames();
        this.columns = new ColumnWriter(columns(view));
    }

    /**
     * Adds the rows of a block of this view.
     *
     * @throws IOException for a whole number of more than 64 bits; the message names the feature and the remedy
     */
    public void add(RowBlock block) throws IOException {
        for (int row = 0; row < block.rows(); row++) {
            columns.begin();
            int column = 0;
            List<Object> key = cells.key(block, row);
            for (int i = 0; i < key.size(); i++) {
                Object value = key.get(i);
                put(
                        columns,
                        column++,
                        view.entities().get(i) instanceof Entity.Cell ? Long.toHexString((Long) value) : value);
            }
            columns.int64(column++, Math.multiplyExact(block.windowEndMs(), 1_000));
            put(columns, column++, block.finality().name());
            for (int feature = 0; feature < features.size(); feature++) {
                put(columns, column++, narrowed(feature, cells.value(block, row, feature)));
            }
            columns.end();
        }
    }

    private @Nullable Object narrowed(int feature, @Nullable Object value) throws IOException {
        if (value == null || value instanceof Double || value instanceof Long) {
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
            FieldType.Scalar type = types.get(i).equals("int64") ? FieldType.INT64 : FieldType.DOUBLE;
            fields.add(Field.optional(names.get(i), type));
        }
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
