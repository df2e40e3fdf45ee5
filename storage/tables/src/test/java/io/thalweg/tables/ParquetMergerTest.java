package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.LocalOutputFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ParquetMergerTest {
    private static final Struct IDS =
            new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("name", FieldType.TEXT)));

    @TempDir
    Path folder;

    private int files;

    private Path write(Struct schema, List<? extends List<?>> rows, Compression compression, long rowGroupBytes)
            throws IOException {
        Path file = folder.resolve("part-" + files++ + ".parquet");
        ParquetFileBuilder builder = new ParquetFileBuilder(
                new LocalOutputFile(file), ParquetSchemas.of(schema), compression, rowGroupBytes);
        for (int from = 0; from < rows.size(); from += 100) {
            builder.add(TableValues.columns(schema, rows.subList(from, Math.min(rows.size(), from + 100))));
        }
        builder.finish();
        return file;
    }

    private Path merge(List<Path> parts, Compression compression, long rowGroupBytes) throws IOException {
        Path merged = folder.resolve("merged.parquet");
        try (OutputStream out = Files.newOutputStream(merged)) {
            ParquetMerger.merge(parts, new StreamOutput(out), compression, rowGroupBytes, () -> {});
        }
        return merged;
    }

    private static final class StreamOutput implements TableFile.Output {
        private final OutputStream out;
        private long position;

        StreamOutput(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(byte[] data, int from, int length) throws IOException {
            out.write(data, from, length);
            position += length;
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void merge_randomFiles_hasTheirRowsInOrder(long seed) throws IOException {
        Random random = new Random(seed);
        RandomTable table = new RandomTable(random);
        Struct schema = table.schema();
        List<Compression> compressions = List.of(Compression.values());
        List<List<@Nullable Object>> rows = new ArrayList<>();
        List<Path> parts = new ArrayList<>();
        for (int part = 1 + random.nextInt(5); part > 0; part--) {
            List<List<@Nullable Object>> some = new ArrayList<>();
            for (int i = random.nextInt(300); i > 0; i--) {
                some.add(table.row(schema));
            }
            rows.addAll(some);
            parts.add(write(schema, some, compressions.get(random.nextInt(3)), 1 + random.nextInt(20_000)));
        }

        Path merged = merge(parts, compressions.get(random.nextInt(3)), 1 + random.nextInt(40_000));

        assertThat(TableValues.read(merged, schema)).isEqualTo(rows);
    }

    private static List<List<@Nullable Object>> ids(long from, long to) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (long id = from; id < to; id++) {
            List<@Nullable Object> row = new ArrayList<>();
            row.add(id);
            row.add(id % 3 == 0 ? null : TableValues.text("name " + id % 10));
            rows.add(row);
        }
        return rows;
    }

    /** More rows than are copied at once, so that pages end in between. */
    @Test
    void merge_largeFiles_rowGroupsAndPagesAreBounded() throws IOException {
        List<Path> parts = List.of(
                write(IDS, ids(0, 120_000), Compression.ZSTD, 64 << 20),
                write(IDS, ids(120_000, 200_000), Compression.NONE, 64 << 20));

        Path merged = merge(parts, Compression.ZSTD, 150_000);

        assertThat(TableValues.read(merged, IDS)).isEqualTo(ids(0, 200_000));
        try (ParquetFileReader reader = ParquetRows.file(merged)) {
            List<BlockMetaData> groups = reader.getRowGroups();
            assertThat(groups).hasSizeBetween(3, 20);
            ColumnChunkMetaData names = groups.get(0).getColumns().get(1);
            assertThat(names.hasDictionaryPage()).isTrue();
            assertThat(names.getStatistics().getNumNulls()).isPositive();
        }
    }

    @Test
    void merge_filesOfOtherSchemas_isRefused() throws IOException {
        Struct other = new Struct(List.of(Field.optional("id", FieldType.INT64)));
        List<Path> parts = List.of(
                write(IDS, ids(0, 3), Compression.ZSTD, 1 << 20),
                write(other, List.of(List.of(1L)), Compression.ZSTD, 1 << 20));

        assertThatThrownBy(() -> merge(parts, Compression.ZSTD, 1 << 20))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("part-1.parquet has another schema");
    }

    @Test
    void merge_ended_stopsBetweenRows() throws IOException {
        Path part = write(IDS, ids(0, 3), Compression.ZSTD, 1 << 20);

        assertThatThrownBy(() -> ParquetMerger.merge(
                        List.of(part),
                        new StreamOutput(OutputStream.nullOutputStream()),
                        Compression.ZSTD,
                        1 << 20,
                        () -> {
                            throw new CancellationException();
                        }))
                .isInstanceOf(CancellationException.class);
    }
}
