package io.thalweg.tables;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a CSV file with a header. The types of the columns are found in a first pass: whole numbers of 64 bits, doubles, {@code true}
 * and {@code false}, otherwise text. An empty field is null.
 */
final class CsvColumns implements TableColumns {
    private static final int BATCH_ROWS = 4_096;
    /** Leading zeros are digits of a code rather than of a number. */
    private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9]\\d{0,17})");

    private static final Pattern DOUBLE = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?");

    private final Path path;
    private final CsvRows rows;
    private final EventColumns batch;
    private final Struct schema;
    private long row = 1;

    private CsvColumns(Path path, CsvRows rows, EventColumns batch, Struct schema) {
        this.path = path;
        this.rows = rows;
        this.batch = batch;
        this.schema = schema;
    }

    static CsvColumns open(Path path) throws IOException {
        CsvRows.Header header = CsvRows.header(path);
        if (header == null) {
            throw new UnfitTableException(List.of(path + " is empty; its first line must name the columns"));
        }
        List<FieldPath> fields = header.names().stream()
                .map(name -> new FieldPath(name, List.of(name)))
                .toList();
        Projection projection = Projection.of(Source.Format.CSV, fields);
        Struct schema;
        try (CsvColumns text = new CsvColumns(
                path, CsvRows.open(path, projection), new EventColumns(projection), new Struct(List.of()))) {
            schema = text.types(header.names());
        }
        return new CsvColumns(path, CsvRows.open(path, projection), new EventColumns(projection), schema);
    }

    /** The types that all values of a column so far have. */
    private static final class Guess {
        private boolean any;
        private boolean integers = true;
        private boolean doubles = true;
        private boolean booleans = true;

        void see(String value) {
            any = true;
            integers = integers && INTEGER.matcher(value).matches();
            doubles = doubles && DOUBLE.matcher(value).matches();
            booleans = booleans && (value.equals("true") || value.equals("false"));
        }

        Scalar type() {
            if (!any) {
                return FieldType.TEXT;
            }
            return integers ? FieldType.INT64 : doubles ? FieldType.DOUBLE : booleans ? FieldType.BOOL : FieldType.TEXT;
        }
    }

    private Struct types(List<String> names) throws IOException {
        List<Guess> guesses = names.stream().map(name -> new Guess()).toList();
        while (fill() > 0) {
            for (int e = 0; e < batch.size(); e++) {
                for (int c = 0; c < names.size(); c++) {
                    if (batch.kind(e, c) != FieldKind.NULL && batch.length(e, c) > 0) {
                        guesses.get(c).see(text(e, c));
                    }
                }
            }
        }
        List<Field> fields = new ArrayList<>();
        for (int c = 0; c < names.size(); c++) {
            fields.add(Field.optional(names.get(c), guesses.get(c).type()));
        }
        return new Struct(fields);
    }

    private int fill() throws IOException {
        batch.clear();
        int read = rows.read(BATCH_ROWS, batch);
        for (int e = 0; e < read; e++) {
            row++;
            BadReason reason = batch.decodeReason(e);
            if (reason != null) {
                throw new IOException("%s, row %d: %s".formatted(path, row, batch.decodeError(e)));
            }
        }
        return read;
    }

    private String text(int e, int c) {
        return new String(batch.bytes(), batch.offset(e, c), batch.length(e, c), StandardCharsets.UTF_8);
    }

    @Override
    public Struct schema() {
        return schema;
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        if (fill() == 0) {
            return null;
        }
        ColumnWriter columns = new ColumnWriter(schema);
        for (int c = 0; c < schema.fields().size(); c++) {
            FieldType type = schema.fields().get(c).type();
            for (int e = 0; e < batch.size(); e++) {
                if (batch.kind(e, c) == FieldKind.NULL || batch.length(e, c) == 0) {
                    columns.absent(c);
                } else if (type == FieldType.TEXT) {
                    columns.bytes(c, batch.bytes(), batch.offset(e, c), batch.length(e, c));
                } else if (type == FieldType.INT64) {
                    columns.int64(c, Long.parseLong(text(e, c)));
                } else if (type == FieldType.DOUBLE) {
                    columns.float64(c, Double.parseDouble(text(e, c)));
                } else {
                    columns.bool(c, text(e, c).equals("true"));
                }
            }
        }
        return columns.take(batch.size());
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
