package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.parquet.io.LocalOutputFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetRecordsTest {
    @TempDir
    Path folder;

    @Test
    void read_aColumnOfEachType_givesItsValue() throws IOException {
        Struct schema = new Struct(List.of(
                Field.optional("bool", FieldType.BOOL),
                Field.optional("narrow", FieldType.INT16),
                Field.optional("wide", FieldType.INT64),
                Field.optional("float", FieldType.FLOAT),
                Field.optional("double", FieldType.DOUBLE),
                Field.optional("text", FieldType.TEXT),
                Field.optional("symbol", new Symbols(List.of("A"))),
                Field.optional("bytes", FieldType.BYTES),
                Field.optional("uuid", FieldType.UUID),
                Field.optional("decimal", new Decimal(9, 2)),
                Field.optional("date", FieldType.DATE),
                Field.optional("time", FieldType.TIME),
                Field.optional("timestamp", FieldType.TIMESTAMP),
                Field.optional("local", FieldType.LOCAL_TIMESTAMP),
                Field.optional("list", new ListOf(FieldType.INT32, false)),
                Field.optional("map", new MapOf(FieldType.TEXT, FieldType.DOUBLE, false)),
                Field.optional("struct", new Struct(List.of(Field.required("id", FieldType.TEXT))))));
        UUID uuid = UUID.fromString("17a2b60c-29dd-5f76-95f3-b65da5cbbdbe");
        ByteBuffer uuidBytes = ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .flip();
        List<@Nullable Object> full = Arrays.asList(
                true,
                -7L,
                1L << 60,
                0.5,
                0.1,
                TableValues.text("é"),
                TableValues.text("A"),
                ByteBuffer.wrap(new byte[] {'h', 'i'}),
                uuidBytes,
                ByteBuffer.wrap(new byte[] {-5}),
                -1L,
                34_200_000_000L,
                -1L,
                1_000_001L,
                Arrays.asList(1L, null),
                List.of(Arrays.asList(TableValues.text("k"), null)),
                List.of(TableValues.text("r1")));
        ParquetFileBuilder builder = new ParquetFileBuilder(
                new LocalOutputFile(folder.resolve("rows.parquet")),
                ParquetSchemas.of(schema),
                Compression.ZSTD,
                1 << 20);
        builder.add(TableValues.columns(schema, List.of(full, Collections.nCopies(17, null))));
        builder.finish();

        List<Map<String, @Nullable Object>> rows = ParquetRecords.read(folder.resolve("rows.parquet"), schema);

        assertThat(rows).hasSize(2);
        assertThat(rows.get(0).keySet()).containsExactlyElementsOf(schema.names());
        assertThat(rows.get(0).values())
                .containsExactly(
                        true,
                        -7L,
                        1L << 60,
                        0.5f,
                        0.1,
                        "é",
                        "A",
                        "aGk=",
                        uuid,
                        new BigDecimal("-0.05"),
                        LocalDate.of(1969, 12, 31),
                        LocalTime.of(9, 30),
                        Instant.parse("1969-12-31T23:59:59.999999Z"),
                        LocalDateTime.parse("1970-01-01T00:00:01.000001"),
                        Arrays.asList(1L, null),
                        Collections.singletonMap("k", null),
                        Map.of("id", "r1"));
        assertThat(rows.get(1).values()).hasSize(17).containsOnlyNulls();
    }
}
