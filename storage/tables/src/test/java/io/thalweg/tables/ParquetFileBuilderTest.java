package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.LongFunction;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParquetFileBuilderTest {
    private static final long LARGE = 64L << 20;
    private static final int SAMPLE = 10_000;

    @TempDir
    Path folder;

    private ParquetFileBuilder builder(Struct schema, Compression compression, long rowGroupBytes) throws IOException {
        return new ParquetFileBuilder(
                new LocalOutputFile(file()), ParquetSchemas.of(schema), compression, rowGroupBytes);
    }

    private Path file() {
        return folder.resolve("rows.parquet");
    }

    private List<BlockMetaData> rowGroups() throws IOException {
        try (ParquetFileReader reader = ParquetRows.file(file())) {
            return reader.getFooter().getBlocks();
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void finish_randomRows_areReadByTheLibrary(long seed) throws IOException {
        Random random = new Random(seed);
        RandomTable table = new RandomTable(random);
        Struct schema = table.schema();
        Compression compression = List.of(Compression.values()).get(random.nextInt(3));
        ParquetFileBuilder builder = builder(schema, compression, 1 + random.nextInt(20_000));
        List<List<@Nullable Object>> rows = new ArrayList<>();

        for (int batch = random.nextInt(8); batch > 0; batch--) {
            List<List<@Nullable Object>> added = new ArrayList<>();
            for (int i = random.nextInt(60); i > 0; i--) {
                added.add(table.row(schema));
            }
            builder.add(TableValues.columns(schema, added));
            rows.addAll(added);
        }
        builder.finish();

        assertThat(TableValues.read(file(), schema)).isEqualTo(rows);
        assertThat(builder.rows()).isEqualTo(rows.size());
        assertThat(ParquetFooter.rows(new LocalInputFile(file()))).isEqualTo(rows.size());
    }

    private static final Struct TWO =
            new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("name", FieldType.TEXT)));

    private static List<List<@Nullable Object>> rows(int from, int to, LongFunction<@Nullable Object> name) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (long i = from; i < to; i++) {
            List<@Nullable Object> row = new ArrayList<>();
            row.add(i);
            row.add(name.apply(i));
            rows.add(row);
        }
        return rows;
    }

    @ParameterizedTest
    @ValueSource(ints = {SAMPLE - 1, SAMPLE, SAMPLE + 1, 3 * SAMPLE})
    void finish_rowsAroundTheSample_areAllThereInOrder(int count) throws IOException {
        List<List<@Nullable Object>> rows =
                rows(0, count, i -> i % 7 == 0 ? null : TableValues.text("name " + i % 100));
        ParquetFileBuilder builder = builder(TWO, Compression.NONE, LARGE);
        for (int from = 0; from < count; from += 2_500) {
            builder.add(TableValues.columns(TWO, rows.subList(from, Math.min(count, from + 2_500))));
        }
        builder.finish();

        assertThat(TableValues.read(file(), TWO)).isEqualTo(rows);
        assertThat(rowGroups()).hasSize(1);
    }

    @Test
    void finish_noRows_isAFileOfNone() throws IOException {
        builder(TWO, Compression.ZSTD, LARGE).finish();

        assertThat(TableValues.read(file(), TWO)).isEmpty();
        assertThat(ParquetFooter.rows(new LocalInputFile(file()))).isZero();
    }

    @Test
    void add_batchWithoutRowsAfterARowGroup_startsNone() throws IOException {
        ParquetFileBuilder builder = builder(TWO, Compression.NONE, 1);
        builder.add(TableValues.columns(TWO, rows(0, 3, i -> null)));
        builder.add(TableValues.columns(TWO, List.of()));
        builder.finish();

        assertThat(rowGroups()).hasSize(1);
    }

    @Test
    void add_sampleOfMoreThanARowGroup_isWrittenBeforeItIsComplete() throws IOException {
        ParquetFileBuilder builder = builder(TWO, Compression.NONE, 50_000);
        for (int i = 0; i < 5; i++) {
            builder.add(TableValues.columns(TWO, rows(0, 1_000, n -> TableValues.text("%0100d".formatted(n)))));
        }

        assertThat(Files.size(file())).isGreaterThan(400_000);
    }

    @Test
    void finish_anyFile_closesItsStream() throws IOException {
        List<String> calls = new ArrayList<>();
        ParquetFileBuilder builder =
                new ParquetFileBuilder(new Recorded(calls), ParquetSchemas.of(TWO), Compression.NONE, LARGE);
        builder.add(TableValues.columns(TWO, rows(0, 3, i -> null)));
        assertThat(calls).isEmpty();

        builder.finish();

        assertThat(calls).containsExactly("flush", "close");
    }

    /** Records the calls to its stream. */
    private record Recorded(List<String> calls) implements OutputFile {
        @Override
        public PositionOutputStream create(long blockSizeHint) {
            return new PositionOutputStream() {
                private long position;

                @Override
                public long getPos() {
                    return position;
                }

                @Override
                public void write(int b) {
                    position++;
                }

                @Override
                public void flush() {
                    calls.add("flush");
                }

                @Override
                public void close() {
                    calls.add("close");
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSizeHint) {
            return create(blockSizeHint);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void add_moreThanARowGroup_startsAnother(Compression compression) throws IOException {
        ParquetFileBuilder builder = builder(TWO, compression, 10_000);
        for (int i = 0; i < 20; i++) {
            builder.add(TableValues.columns(TWO, rows(i * 100, i * 100 + 100, n -> TableValues.text("name " + n))));
        }
        builder.finish();

        // A row takes 8 bytes and about as many as its name, with its length.
        assertThat(rowGroups()).hasSizeBetween(4, 6);
        assertThat(rowGroups()).allMatch(group -> group.getRowCount() % 100 == 0);
        assertThat(rowGroups().get(0).getColumns().get(0).getCodec().name())
                .isEqualTo(compression == Compression.NONE ? "UNCOMPRESSED" : compression.name());
    }

    @Test
    void finish_decimalsOfEveryPrecision_keepTheirValues() throws IOException {
        List<Field> fields = new ArrayList<>();
        List<List<BigInteger>> values = new ArrayList<>();
        for (int precision = 1; precision <= 38; precision++) {
            fields.add(Field.required("p" + precision, new Decimal(precision, precision / 2)));
            BigInteger most = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE);
            values.add(List.of(
                    most, most.negate(), BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE.negate(), most.shiftRight(9)));
        }
        Struct schema = new Struct(fields);
        List<List<ByteBuffer>> shortest = new ArrayList<>();
        List<List<ByteBuffer>> longest = new ArrayList<>();
        for (int row = 0; row < values.get(0).size(); row++) {
            int at = row;
            shortest.add(values.stream()
                    .map(column -> ByteBuffer.wrap(column.get(at).toByteArray()))
                    .toList());
            longest.add(values.stream().map(column -> sixteen(column.get(at))).toList());
        }

        ParquetFileBuilder builder = builder(schema, Compression.NONE, LARGE);
        builder.add(TableValues.columns(schema, shortest));
        builder.add(TableValues.columns(schema, longest));
        builder.finish();

        List<List<@Nullable Object>> read = TableValues.read(file(), schema);
        assertThat(read.subList(0, shortest.size())).isEqualTo(shortest);
        assertThat(read.subList(shortest.size(), read.size())).isEqualTo(shortest);
    }

    private static ByteBuffer sixteen(BigInteger value) {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 16; i++) {
            bytes[15 - i] = value.shiftRight(8 * i).byteValue();
        }
        return ByteBuffer.wrap(bytes);
    }

    /** Readers prune by the statistics of a file. */
    @Test
    void finish_uuidDateTimesAndDecimal_haveTheirRangesInTheFooter() throws IOException {
        Struct schema = new Struct(List.of(
                Field.required("uuid", FieldType.UUID),
                Field.required("day", FieldType.DATE),
                Field.required("time", FieldType.TIME),
                Field.required("at", FieldType.TIMESTAMP),
                Field.required("money", new Decimal(9, 2))));
        UUID low = UUID.fromString("00000000-0000-4000-8000-000000000001");
        UUID high = UUID.fromString("ffffffff-0000-4000-8000-000000000001");
        ParquetFileBuilder builder = builder(schema, Compression.SNAPPY, LARGE);
        builder.add(TableValues.columns(
                schema, List.of(row(high, -1, 86_399_999_999L, 0, "5.00"), row(low, 20_780, 1, -1, "-12.34"))));
        builder.finish();

        assertThat(rowGroups().get(0).getColumns().stream()
                        .map(column -> column.getStatistics().minAsString()
                                + " to "
                                + column.getStatistics().maxAsString()))
                .containsExactly(
                        low + " to " + high,
                        "1969-12-31 to 2026-11-23",
                        "00:00:00.000001 to 23:59:59.999999",
                        "1969-12-31T23:59:59.999999+0000 to 1970-01-01T00:00:00.000000+0000",
                        "-12.34 to 5.00");
    }

    private static List<Object> row(UUID uuid, long day, long time, long at, String money) {
        ByteBuffer bytes = ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .flip();
        return List.of(
                bytes,
                day,
                time,
                at,
                ByteBuffer.wrap(new BigDecimal(money).unscaledValue().toByteArray()));
    }

    @Test
    void finish_columnsOfFewAndOfManyValues_haveADictionaryOrNone() throws IOException {
        Struct schema = new Struct(List.of(
                Field.required("fewTexts", FieldType.TEXT),
                Field.required("manyTexts", FieldType.TEXT),
                Field.optional("fewNumbers", new ListOf(FieldType.INT64, false)),
                Field.required("manyNumbers", FieldType.INT64),
                Field.required("fewBools", FieldType.BOOL),
                Field.optional("nothing", FieldType.TEXT)));
        ParquetFileBuilder builder = builder(schema, Compression.NONE, LARGE);
        for (int batch = 0; batch < 3; batch++) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            for (long i = batch * 4_000L; i < (batch + 1) * 4_000L; i++) {
                List<@Nullable Object> row = new ArrayList<>(List.of(
                        TableValues.text("city " + i % 20),
                        TableValues.text("user " + i),
                        List.of(i % 10, i % 3),
                        i,
                        i % 2 == 0));
                row.add(null);
                rows.add(row);
            }
            builder.add(TableValues.columns(schema, rows));
        }
        builder.finish();

        assertThat(rowGroups().get(0).getColumns().stream()
                        .filter(ColumnChunkMetaData::hasDictionaryPage)
                        .map(column -> column.getPath().toArray()[0]))
                .containsExactly("fewTexts", "fewNumbers");
    }

    /** One value in five may be new: 2,000 of 10,000, but not 2,001. */
    @ParameterizedTest
    @ValueSource(ints = {2_000, 2_001})
    void finish_distinctValuesAtTheBound_decideTheDictionary(int distinct) throws IOException {
        ParquetFileBuilder builder = builder(TWO, Compression.NONE, LARGE);
        builder.add(TableValues.columns(TWO, rows(0, SAMPLE, i -> TableValues.text("user " + i % distinct))));
        builder.finish();

        assertThat(rowGroups().get(0).getColumns().get(1).hasDictionaryPage()).isEqualTo(distinct == 2_000);
    }

    @ParameterizedTest
    @EnumSource(Compression.class)
    void bytes_atTheEnd_isAboutTheSizeOfTheFile(Compression compression) throws IOException {
        Random random = new Random(1);
        ParquetFileBuilder builder = builder(TWO, compression, 1 << 20);
        for (int i = 0; i < 30; i++) {
            builder.add(TableValues.columns(
                    TWO, rows(i * 1_000, i * 1_000 + 1_000, n -> TableValues.text("user " + random.nextLong()))));
        }

        long estimate = builder.bytes();
        builder.finish();

        long size = Files.size(file());
        assertThat(estimate).isBetween(size / 2, 2 * size);
    }

    @Test
    void bytes_beforeTheSampleIsComplete_countsIt() throws IOException {
        ParquetFileBuilder builder = builder(TWO, Compression.NONE, LARGE);
        builder.add(TableValues.columns(TWO, rows(0, 1_000, n -> TableValues.text("0123456789"))));

        assertThat(builder.bytes()).isBetween(18_000L, 18_100L);
    }
}
