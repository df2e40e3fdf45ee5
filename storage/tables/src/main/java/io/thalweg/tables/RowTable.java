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
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a view as a flat table: a column for each entity, {@code window_end} as a timestamp, {@code finality}, and a
 * column for each feature.
 *
 * <p><b>Types.</b> Cells and UUIDs are text; features are doubles or whole numbers of 64 bits. A value that is absent is null in Parquet and
 * empty in CSV, where empty text is {@code ""}.
 *
 * <p><b>Errors.</b> IOException for a whole number of more than 64 bits; the message names the feature and the remedy.
 *
 * <p><b>Memory.</b> Parquet: one row group. <b>Threads.</b> Safe; blocks are written whole.
 */
public abstract class RowTable {
    private static final long ROW_GROUP_BYTES = 64 << 20;
    private static final int BATCH_ROWS = 4_096;

    private final FeatureView view;
    private final RowCells cells;
    /** Kept, because the view builds this list at each call. */
    private final List<String> features;

    private RowTable(FeatureView view) {
        this.view = view;
        this.cells = RowCells.of(view);
        this.features = view.featureNames();
    }

    /** The forms of a table, by the ending of a file's name. */
    public enum Form {
        PARQUET,
        CSV;

        /** Returns the form that the name of a file asks for; empty if it ends otherwise. */
        public static Optional<Form> ofName(String file) {
            String name = file.toLowerCase(Locale.ROOT);
            return name.endsWith(".parquet")
                    ? Optional.of(PARQUET)
                    : name.endsWith(".csv") ? Optional.of(CSV) : Optional.empty();
        }
    }

    /** Starts a table; the caller closes the stream after {@link #finish}. */
    public static RowTable open(Form form, FeatureView view, OutputStream out) throws IOException {
        return switch (form) {
            case PARQUET -> new Parquet(view, out);
            case CSV -> new Csv(view, out);
        };
    }

    /** Adds the rows of a block of this view. */
    public final synchronized void add(RowBlock block) throws IOException {
        for (int row = 0; row < block.rows(); row++) {
            begin();
            int column = 0;
            List<Object> key = cells.key(block, row);
            for (int i = 0; i < key.size(); i++) {
                Object value = key.get(i);
                put(column++, view.entities().get(i) instanceof Entity.Cell ? Long.toHexString((Long) value) : value);
            }
            putTime(column++, block.windowEndMs());
            put(column++, block.finality().name());
            for (int feature = 0; feature < features.size(); feature++) {
                put(column++, narrowed(feature, cells.value(block, row, feature)));
            }
            end();
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

    abstract void begin() throws IOException;

    /** Writes a value: {@code Long}, {@code Double}, {@code Boolean}, text of another object, or null. */
    abstract void put(int column, @Nullable Object value) throws IOException;

    abstract void putTime(int column, long epochMs) throws IOException;

    abstract void end() throws IOException;

    /** Writes what is still in memory. */
    public abstract void finish() throws IOException;

    /** Returns the columns of a table of a view. */
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

    /** Rows in memory, as columns. */
    public static class Batches extends RowTable {
        private final ColumnWriter columns;

        /** Creates an empty batch of the rows of a view. */
        public Batches(FeatureView view) {
            super(view);
            columns = new ColumnWriter(columns(view));
        }

        @Override
        void begin() {
            columns.begin();
        }

        @Override
        void put(int column, @Nullable Object value) {
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

        @Override
        void putTime(int column, long epochMs) {
            columns.int64(column, Math.multiplyExact(epochMs, 1_000));
        }

        @Override
        void end() throws IOException {
            columns.end();
        }

        /** The number of rows in memory. */
        public final int rows() {
            return columns.rows();
        }

        /** Returns the rows in memory and starts an empty batch. */
        public final ColumnBatch take() {
            return columns.take();
        }

        @Override
        public void finish() throws IOException {
            // The rows belong to the caller.
        }
    }

    private static final class Parquet extends Batches {
        private final ParquetFileBuilder file;

        Parquet(FeatureView view, OutputStream out) throws IOException {
            super(view);
            file = new ParquetFileBuilder(
                    new StreamOutput(out), columns(view), ParquetFileBuilder.Compression.ZSTD, ROW_GROUP_BYTES);
        }

        @Override
        void end() throws IOException {
            super.end();
            if (rows() == BATCH_ROWS) {
                file.add(take());
            }
            if (file.bytesInMemory() >= ROW_GROUP_BYTES) {
                file.endRowGroup();
            }
        }

        @Override
        public synchronized void finish() throws IOException {
            file.add(take());
            file.finish();
        }
    }

    private static final class Csv extends RowTable {
        private final OutputStream out;
        private final StringBuilder line = new StringBuilder();

        Csv(FeatureView view, OutputStream out) throws IOException {
            super(view);
            this.out = out;
            begin();
            List<String> names = columns(view).names();
            for (int column = 0; column < names.size(); column++) {
                put(column, names.get(column));
            }
            end();
        }

        @Override
        void begin() {
            line.setLength(0);
        }

        @Override
        void put(int column, @Nullable Object value) {
            CsvText.append(value, line);
        }

        @Override
        void putTime(int column, long epochMs) {
            put(column, Instant.ofEpochMilli(epochMs));
        }

        @Override
        void end() throws IOException {
            CsvText.end(line, out);
        }

        @Override
        public synchronized void finish() throws IOException {
            out.flush();
        }
    }
}
