package io.thalweg.tables;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes columns of single values to a Parquet or CSV file. The caller closes the stream after {@link #finish}.
 *
 * <p><b>Threads.</b> One.
 */
public interface FlatTable {
    /** Starts a table. */
    static FlatTable open(RowTable.Form form, Struct schema, OutputStream out) throws IOException {
        return form == RowTable.Form.PARQUET ? new Parquet(schema, out) : new Csv(schema, out);
    }

    /**
     * Starts a table with all rows of another one.
     *
     * @param before a file of the same form and columns
     */
    static FlatTable continuing(Path before, RowTable.Form form, Struct schema, OutputStream out) throws IOException {
        if (form == RowTable.Form.CSV) {
            Files.copy(before, out);
            return new Csv(out);
        }
        Parquet table = new Parquet(schema, out);
        try (ParquetColumns rows = ParquetColumns.openAs(before, schema)) {
            for (ColumnBatch batch = rows.next(); batch != null; batch = rows.next()) {
                table.add(batch);
            }
        }
        return table;
    }

    void add(ColumnBatch batch) throws IOException;

    /** Writes what is still in memory. */
    void finish() throws IOException;

    /** A Parquet file. */
    final class Parquet implements FlatTable {
        private static final long ROW_GROUP_BYTES = 64 << 20;
        private final ParquetFileBuilder file;

        private Parquet(Struct schema, OutputStream out) throws IOException {
            file = new ParquetFileBuilder(
                    new StreamOutput(out), schema, ParquetFileBuilder.Compression.ZSTD, ROW_GROUP_BYTES);
        }

        @Override
        public void add(ColumnBatch batch) throws IOException {
            file.add(batch);
            if (file.bytesInMemory() >= ROW_GROUP_BYTES) {
                file.endRowGroup();
            }
        }

        @Override
        public void finish() throws IOException {
            file.finish();
        }
    }

    /** A CSV file with a header; a null is empty, empty text is {@code ""}. */
    final class Csv implements FlatTable {
        private final OutputStream out;

        private Csv(OutputStream out) {
            this.out = out;
        }

        private Csv(Struct schema, OutputStream out) throws IOException {
            this(out);
            StringBuilder line = new StringBuilder();
            schema.names().forEach(name -> append(name, line));
            end(line);
        }

        @Override
        public void add(ColumnBatch batch) throws IOException {
            List<LeafColumn> leaves = batch.leaves();
            int[] values = new int[leaves.size()];
            StringBuilder line = new StringBuilder();
            for (int row = 0; row < batch.rows(); row++) {
                for (int c = 0; c < values.length; c++) {
                    LeafColumn leaf = leaves.get(c);
                    boolean present = leaf.definition(row) == leaf.maxDefinition();
                    append(present ? text(leaf, values[c]++) : null, line);
                }
                end(line);
            }
        }

        private static Object text(LeafColumn leaf, int value) {
            Scalar type = leaf.type();
            if (leaf.isFixed()) {
                return text(type, leaf.longAt(value));
            }
            int length = leaf.to(value) - leaf.from(value);
            if (type instanceof FieldType.Uuid) {
                ByteBuffer halves = ByteBuffer.wrap(leaf.data(), leaf.from(value), length);
                return new UUID(halves.getLong(), halves.getLong()).toString();
            }
            if (type instanceof FieldType.Decimal decimal) {
                return new BigDecimal(new BigInteger(leaf.data(), leaf.from(value), length), decimal.scale())
                        .toPlainString();
            }
            if (type instanceof FieldType.Bytes) {
                byte[] bytes = Arrays.copyOfRange(leaf.data(), leaf.from(value), leaf.to(value));
                return Base64.getEncoder().encodeToString(bytes);
            }
            return new String(leaf.data(), leaf.from(value), length, StandardCharsets.UTF_8);
        }

        private static Object text(Scalar type, long value) {
            if (type instanceof FieldType.Bool) {
                return value != 0;
            }
            if (type instanceof FieldType.Real) {
                return Double.longBitsToDouble(value);
            }
            if (type instanceof FieldType.Date) {
                return LocalDate.ofEpochDay(value);
            }
            if (type instanceof FieldType.Time) {
                return LocalTime.ofNanoOfDay(1_000 * value);
            }
            if (type instanceof FieldType.Timestamp timestamp) {
                Instant instant = Instant.EPOCH.plus(value, ChronoUnit.MICROS);
                return timestamp.utc() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
            }
            return value;
        }

        /** Appends a field to a line as RFC 4180 has it. */
        private static void append(@Nullable Object value, StringBuilder line) {
            if (value instanceof Double || value instanceof Long || value instanceof Boolean) {
                line.append(value);
            } else if (value != null) {
                String text = value.toString();
                boolean plain =
                        !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
                line.append(plain ? text : '"' + text.replace("\"", "\"\"") + '"');
            }
            line.append(',');
        }

        /** Writes a line and empties it. */
        private void end(StringBuilder line) throws IOException {
            line.setCharAt(line.length() - 1, '\n');
            out.write(line.toString().getBytes(StandardCharsets.UTF_8));
            line.setLength(0);
        }

        @Override
        public void finish() throws IOException {
            out.flush();
        }
    }
}
