package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.thalweg.formats.BadReason;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables in Parquet and CSV, read as rows of a view. */
@SuppressWarnings("NullAway.Init")
class TableReaderTest {
    private static final long LOAD_MS = 1_767_290_400_000L;
    private static final String SCHEMA = """
            message stats {
              required int64 driver_id;
              optional int32 trips;
              optional int64 metres;
              optional double avg_rating;
              optional float share;
              optional boolean vip;
              optional int64 fare (DECIMAL(12,2));
              optional int64 at (TIMESTAMP(MICROS,true));
              optional int32 day (DATE);
              optional group address { optional int32 zone; }
              optional group tags (LIST) { repeated group list { optional int32 element; } }
              optional binary city (STRING);
            }
            """;

    @TempDir
    Path folder;

    /** A row that was read, in a form for comparison. */
    record Read(List<Object> key, long timeMs, List<@Nullable Object> values) {}

    /** The results of a split. */
    static final class Rows implements TableReader.Output {
        private final FeatureView view;
        private final KeyedRowCodec packed;
        final List<Read> good = new ArrayList<>();
        final List<String> bad = new ArrayList<>();

        Rows(Materialization spec) {
            view = spec.view();
            packed = new KeyedRowCodec(view);
        }

        @Override
        public void rows(KeyedRowBlock block) {
            KeyCodec keys = new KeyCodec(view);
            for (int row = 0; row < block.rows(); row++) {
                StoredRow decoded = packed.decodeRow(packed.encodeRow(block, row));
                good.add(new Read(block.key(keys, row), decoded.windowEndMs(), decoded.values()));
            }
        }

        @Override
        public void bad(BadReason reason, String detail, long row, byte[] raw) {
            bad.add("%d %s %s %s".formatted(row, reason.text(), detail, new String(raw, StandardCharsets.UTF_8)));
        }
    }

    static Materialization spec(Path folder, String rest) {
        return Definitions.parse(
                        """
                        apiVersion: thalweg/v1
                        kind: Materialization
                        name: driver_stats
                        %s
                        """.formatted(rest.formatted(folder)),
                        folder.resolve("driver_stats.yaml").toString())
                .materializations()
                .get(0);
    }

    private static TablePart days(String day) {
        return new TablePart(Map.of("dt", Set.of(day)), null, null);
    }

    static Rows read(Materialization spec, TableFiles files, int batch) throws IOException {
        Rows rows = new Rows(spec);
        for (TableSplit split : files.splits()) {
            read(spec, split, 0, batch, rows);
        }
        return rows;
    }

    private static long read(Materialization spec, TableSplit split, long from, int batch, Rows rows)
            throws IOException {
        try (TableReader reader = TableReader.open(spec, split, from, LOAD_MS)) {
            int read;
            do {
                read = reader.read(batch, rows);
            } while (read > 0);
            assertThat(reader.bytesLeft()).isZero();
            return reader.row();
        }
    }

    private static final String ALL_TYPES = """
            source: {parquet: "%s"}
            entities: [{name: driver, field: driver_id, type: int64}]
            features:
              - {name: trips, type: int64}
              - {name: metres, type: int64}
              - {name: rating, field: avg_rating}
              - share
              - {name: vip, type: bool}
              - fare
              - {name: zone, field: address.zone, type: int64}
              - {name: metres_too, field: metres}
            event_time: {field: at, unit: s}
            """;

    private static Consumer<Group> row(
            long driver, long atMicros, @Nullable Long metres, @Nullable Double rating, @Nullable Boolean vip) {
        return group -> {
            group.append("driver_id", driver).append("at", atMicros);
            if (metres != null) {
                group.append("trips", (int) (metres % 1_000))
                        .append("metres", metres)
                        .append("fare", metres)
                        .append("share", (float) (metres / 3.0));
                group.addGroup("address").append("zone", (int) (metres % 7));
            }
            if (rating != null) {
                group.append("avg_rating", rating);
            }
            if (vip != null) {
                group.append("vip", vip);
            }
        };
    }

    private static Read expected(
            long driver, long atMicros, @Nullable Long metres, @Nullable Double rating, @Nullable Boolean vip) {
        boolean none = metres == null;
        long given = metres == null ? 0 : metres;
        return new Read(
                List.of(driver),
                Math.floorDiv(atMicros, 1_000),
                Arrays.asList(
                        none ? null : (Number) (given % 1_000),
                        none ? null : (Number) given,
                        rating == null || rating.isNaN() ? null : rating,
                        none ? null : (Number) (double) (float) (given / 3.0),
                        vip == null ? null : (Number) (vip ? 1L : 0L),
                        none ? null : (Number) (given / 100.0),
                        none ? null : (Number) (given % 7),
                        none ? null : (Number) (double) given));
    }

    /** The rows are the same for all codecs, page versions, row groups, batches and positions. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_parquetOfAnyForm_givesWhatWasWritten(long seed) throws IOException {
        Random random = new Random(seed);
        List<Consumer<Group>> written = new ArrayList<>();
        List<Read> expected = new ArrayList<>();
        for (int i = 1 + random.nextInt(300); i > 0; i--) {
            long driver = random.nextLong();
            long at = (LOAD_MS + random.nextInt(3)) * 1_000 - random.nextInt(2);
            Long metres = random.nextInt(4) == 0 ? null : (Long) random.nextLong(1L << 40);
            Double rating = random.nextInt(4) == 0 ? null : random.nextInt(9) == 0 ? Double.NaN : random.nextGaussian();
            Boolean vip = random.nextInt(4) == 0 ? null : (Boolean) random.nextBoolean();
            written.add(row(driver, at, metres, rating, vip));
            expected.add(expected(driver, at, metres, rating, vip));
        }
        CompressionCodecName[] codecs = {
            CompressionCodecName.UNCOMPRESSED,
            CompressionCodecName.SNAPPY,
            CompressionCodecName.GZIP,
            CompressionCodecName.ZSTD
        };
        ParquetFiles form = new ParquetFiles(
                codecs[random.nextInt(codecs.length)],
                random.nextBoolean() ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0,
                1 + random.nextInt(200));
        form.write(folder.resolve("part-0.parquet"), SCHEMA, written);
        Materialization spec = spec(folder, ALL_TYPES);
        TableFiles files = TableFiles.of(spec, TablePart.ALL);

        Rows rows = read(spec, files, 1 + random.nextInt(500));

        assertThat(rows.bad).isEmpty();
        // Rows of one batch are emitted by time.
        assertThat(rows.good).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(files.rows()).isEqualTo(written.size());
        int first = 0;
        for (TableSplit split : files.splits()) {
            int from = random.nextInt((int) split.rows() + 1);
            Rows rest = new Rows(spec);
            assertThat(read(spec, split, from, 64, rest)).isEqualTo(split.rows());
            assertThat(rest.good)
                    .containsExactlyInAnyOrderElementsOf(expected.subList(first + from, first + (int) split.rows()));
            first += (int) split.rows();
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_csvAndText_giveTheSame(long seed) throws IOException {
        Random random = new Random(seed);
        StringBuilder csv = new StringBuilder("id,trips,rating,ignored\n");
        StringBuilder text = new StringBuilder("id,kv\r\n");
        List<Read> expected = new ArrayList<>();
        for (int i = random.nextInt(50); i >= 0; i--) {
            String driver = "d\"" + random.nextInt(100);
            Long trips = random.nextInt(3) == 0 ? null : (Long) random.nextLong();
            Double rating = random.nextInt(3) == 0 ? null : (Double) random.nextGaussian();
            String quoted = '"' + driver.replace("\"", "\"\"") + '"';
            csv.append(quoted).append(',').append(trips == null ? "" : trips).append(',');
            csv.append(rating == null ? "" : rating).append(",x\n");
            text.append(quoted).append(",\"other=7");
            text.append(rating == null ? "" : ",rating=" + rating).append(trips == null ? "" : ", trips = " + trips);
            text.append("\"\r\n");
            expected.add(new Read(List.of(driver), LOAD_MS, Arrays.asList(trips, rating)));
        }
        Path plain = Files.createDirectories(folder.resolve("plain"));
        Path packed = Files.createDirectories(folder.resolve("packed"));
        Files.writeString(plain.resolve("a.csv"), csv);
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(packed.resolve("a.csv.gz")))) {
            out.write(text.toString().getBytes(StandardCharsets.UTF_8));
        }
        String common = """
                source: {csv: "%s"}
                entities: [{name: driver, field: id}]
                """;
        Materialization columns = spec(plain, common + "features: [{name: trips, type: int64}, rating]");
        Materialization oneText = spec(
                packed,
                common
                        + "features: {text: kv, entry: \",\", pair: \"=\", names: [{name: trips, type: int64}, rating]}");

        Rows ofColumns = read(columns, TableFiles.of(columns, TablePart.ALL), 1 + random.nextInt(20));
        Rows ofText = read(oneText, TableFiles.of(oneText, TablePart.ALL), 1 + random.nextInt(20));

        assertThat(ofColumns.bad).isEmpty();
        assertThat(ofColumns.good).isEqualTo(expected);
        assertThat(ofText.bad).isEmpty();
        assertThat(ofText.good).isEqualTo(expected);
    }

    /** Lists as current and older writers nest them, with nullable and required elements. */
    private static final String LISTS = """
            message profiles {
              required int64 id;
              optional binary home (STRING);
              optional group floats (LIST) { repeated group list { optional float element; } }
              required group doubles (LIST) { repeated group bag { required double array_element; } }
              optional group old (LIST) { repeated int32 array; }
              repeated int64 bare;
              optional group in { optional group longs (LIST) { repeated group list { required int64 element; } } }
            }
            """;

    private static final String LIST_FEATURES = """
            source: {parquet: "%s"}
            entities: [{name: rider, field: id, type: int64}]
            features:
              - {name: home, type: string}
              - {name: floats, type: double_list}
              - {name: doubles, type: double_list}
              - {name: old, type: double_list}
              - {name: bare, type: double_list}
              - {name: longs, field: in.longs, type: double_list}
            """;

    private static @Nullable List<Double> list(Random random, boolean nullable) {
        return nullable && random.nextInt(4) == 0
                ? null
                : random.ints(random.nextInt(5), -9, 9)
                        .mapToObj(i -> (double) i)
                        .toList();
    }

    private static void put(Group group, String field, @Nullable List<Double> list) {
        if (list == null) {
            return;
        }
        Group into = field.equals("longs") ? group.addGroup("in") : group;
        boolean bare = into.getType().getType(field).isPrimitive();
        Group all = bare ? into : into.addGroup(field);
        for (Double element : list) {
            String name = bare ? field : all.getType().getFieldName(0);
            boolean wrapped = !all.getType().getType(name).isPrimitive();
            Group one = wrapped ? all.addGroup(name) : all;
            String leaf = wrapped ? one.getType().getFieldName(0) : name;
            switch (one.getType().getType(leaf).asPrimitiveType().getPrimitiveTypeName()) {
                case FLOAT -> one.append(leaf, element.floatValue());
                case DOUBLE -> one.append(leaf, element);
                case INT32 -> one.append(leaf, element.intValue());
                case INT64 -> one.append(leaf, element.longValue());
                default -> throw new IllegalArgumentException(field);
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_listsAndText_areWhatWasWritten(long seed) throws IOException {
        Random random = new Random(seed);
        List<Consumer<Group>> written = new ArrayList<>();
        List<Read> expected = new ArrayList<>();
        for (int i = 1 + random.nextInt(100); i > 0; i--) {
            long id = random.nextLong();
            String home = random.nextInt(4) == 0 ? null : "Zürich " + random.nextInt(9);
            List<Double> floats = list(random, true);
            List<Double> doubles = list(random, false);
            List<Double> old = list(random, true);
            List<Double> bare = list(random, false);
            List<Double> longs = list(random, true);
            written.add(group -> {
                group.append("id", id);
                if (home != null) {
                    group.append("home", home);
                }
                put(group, "floats", floats);
                put(group, "doubles", doubles);
                put(group, "old", old);
                put(group, "bare", bare);
                put(group, "longs", longs);
            });
            expected.add(new Read(List.of(id), LOAD_MS, Arrays.asList(home, floats, doubles, old, bare, longs)));
        }
        new ParquetFiles(
                        CompressionCodecName.SNAPPY,
                        random.nextBoolean() ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0,
                        1 + random.nextInt(100))
                .write(folder.resolve("part-0.parquet"), LISTS, written);
        Materialization spec = spec(folder, LIST_FEATURES);
        TableFiles files = TableFiles.of(spec, TablePart.ALL);

        Rows rows = read(spec, files, 1 + random.nextInt(50));

        assertThat(rows.bad).isEmpty();
        assertThat(rows.good).isEqualTo(expected);
        int first = 0;
        for (TableSplit split : files.splits()) {
            int from = random.nextInt((int) split.rows() + 1);
            Rows rest = new Rows(spec);
            read(spec, split, from, 64, rest);
            assertThat(rest.good).isEqualTo(expected.subList(first + from, first + (int) split.rows()));
            first += (int) split.rows();
        }
    }

    @Test
    void read_floatsOf16Bits_areNumbers() throws IOException {
        String schema =
                "message m { required int64 id; optional fixed_len_byte_array(2) f (FLOAT16); optional group l (LIST)"
                        + " { repeated group list { optional fixed_len_byte_array(2) element (FLOAT16); } } }";
        int[] bits = {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x03FF, 0x0400, 0x3555, 0x8000, 0x7E00, 0x7C00};
        List<Consumer<Group>> rows = new ArrayList<>();
        for (int each : bits) {
            Binary half = Binary.fromConstantByteArray(new byte[] {(byte) each, (byte) (each >> 8)});
            rows.add(group -> {
                group.append("id", 7L).append("f", half);
                group.addGroup("l").addGroup("list").append("element", Binary.fromString("\0<"));
            });
        }
        ParquetFiles.plain().write(folder.resolve("part-0.parquet"), schema, rows);
        Materialization spec = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: rider, field: id, type: int64}]
                features: [{name: f}, {name: l, type: double_list}]
                """);

        Rows read = read(spec, TableFiles.of(spec, TablePart.ALL), 64);

        assertThat(read.good.stream().map(row -> row.values().get(0)))
                .containsExactly(1.0, -2.0, 65504.0, 0x1p-24, 0x3FFp-24, 0x1p-14, 0.333251953125, -0.0, null);
        assertThat(read.good).allSatisfy(row -> assertThat(row.values().get(1)).isEqualTo(List.of(1.0)));
        assertThat(read.bad).hasSize(1).first().asString().contains("9 wrong_type 'f' must be finite, was Infinity");
    }

    @Test
    void read_textThatIsNotUtf8_isInvalidText() throws IOException {
        ParquetFiles.plain()
                .write(
                        folder.resolve("part-0.parquet"),
                        "message m { required binary k (STRING); }",
                        List.of(group -> group.append(
                                "k", Binary.fromConstantByteArray(new byte[] {(byte) 0xED, (byte) 0xA0}))));
        Materialization spec = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: k, field: k}]
                features: [{name: f, field: k, type: string}]
                """);

        assertThat(read(spec, TableFiles.of(spec, TablePart.ALL), 64).bad)
                .hasSize(1)
                .first()
                .asString()
                .contains("0 invalid_text 'k' must be valid Unicode text, was bytes that are not UTF-8");
    }

    @Test
    void read_listsOfWhatIsNoNumber_areBad() throws IOException {
        String schema = "message m { required int64 id; optional group floats (LIST)"
                + " { repeated group list { optional float element; } } }";
        List<Consumer<Group>> rows = new ArrayList<>();
        for (float element : new float[] {1, Float.NaN, Float.POSITIVE_INFINITY}) {
            rows.add(group -> {
                group.append("id", 7L);
                Group list = group.addGroup("floats");
                list.addGroup("list").append("element", 0.5f);
                list.addGroup("list").append("element", element);
            });
        }
        rows.add(group -> {
            group.append("id", 7L);
            Group list = group.addGroup("floats");
            list.addGroup("list");
            list.addGroup("list").append("element", 0.5f);
        });
        rows.add(group -> group.append("id", 8L));
        ParquetFiles.plain().write(folder.resolve("part-0.parquet"), schema, rows);
        Materialization spec = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: rider, field: id, type: int64}]
                features: [{name: floats, type: double_list}]
                """);

        Rows read = read(spec, TableFiles.of(spec, TablePart.ALL), 2);

        assertThat(read.good)
                .extracting(Read::values)
                .containsExactly(List.of(List.of(0.5, 1.0)), Arrays.asList((Object) null));
        assertThat(read.bad)
                .hasSize(3)
                .allSatisfy(line -> assertThat(line)
                        .contains("wrong_type 'floats' must be a list of finite numbers, none of them null, was "));
        assertThat(read.bad.get(0)).contains("was a list of 2 {id:7,floats:a list of 2}");
    }

    @Test
    void read_listsAndTextOfCsv_areReadFromText() throws IOException {
        Files.writeString(folder.resolve("a.csv"), """
                id,home,embedding
                1,Zürich,"[0.5, -1e3,7]"
                2,,[]
                3,"a,b",
                4,x,0.5
                5,x,"[0.5,]"
                6,x,"[NaN]"
                7,x,[1e999]
                """);
        Materialization spec = spec(folder, """
                source: {csv: "%s"}
                entities: [{name: rider, field: id, type: int64}]
                features: [{name: home, type: string}, {name: embedding, type: double_list}]
                """);

        Rows rows = read(spec, TableFiles.of(spec, TablePart.ALL), 3);

        assertThat(rows.good)
                .extracting(Read::values)
                .containsExactly(
                        List.of("Zürich", List.of(0.5, -1e3, 7.0)),
                        Arrays.asList(null, List.of()),
                        Arrays.asList("a,b", null));
        assertThat(rows.bad)
                .hasSize(4)
                .allSatisfy(line ->
                        assertThat(line).contains("'embedding' must be a list of finite numbers such as [0.5, 1]"));
    }

    @Test
    void read_nestedPartitions_areColumnsFromThePath() throws IOException {
        String schema = "message m { required int64 driver_id; optional int32 trips; }";
        Consumer<Group> one = group -> group.append("driver_id", 1L).append("trips", 10);
        Consumer<Group> two = group -> group.append("driver_id", 2L).append("trips", 20);
        ParquetFiles files = ParquetFiles.plain();
        files.write(folder.resolve("dt=2026-11-19/city=New%20York/000000_0"), schema, List.of(one));
        files.write(folder.resolve("dt=2026-11-20/city=Rome/part-0.parquet"), schema, List.of(one, two));
        files.write(
                folder.resolve("dt=2026-11-20/city=__HIVE_DEFAULT_PARTITION__/part-0.parquet"), schema, List.of(two));
        Files.writeString(folder.resolve("dt=2026-11-20/_SUCCESS"), "");
        Files.writeString(folder.resolve("dt=2026-11-20/city=Rome/.part-0.parquet.crc"), "x");
        Materialization spec = spec(folder, """
                source: {parquet: "%s", partitions: [dt, city]}
                entities: [{name: driver, field: driver_id, type: int64}, {name: city, field: city}]
                features: [{name: trips, type: int64}]
                event_time: {field: dt, unit: iso8601}
                """);

        Rows all = read(spec, TableFiles.of(spec, TablePart.ALL), 100);
        Rows day = read(spec, TableFiles.of(spec, days("2026-11-19")), 100);

        Read newYork = new Read(List.of(1L, "New York"), 1_763_510_400_000L + 31_536_000_000L, List.of(10L));
        assertThat(day.good).containsExactly(newYork);
        assertThat(all.good).hasSize(3).contains(newYork);
        assertThat(all.good.get(1))
                .isEqualTo(new Read(List.of(1L, "Rome"), newYork.timeMs() + 86_400_000, List.of(10L)));
        assertThat(all.bad).singleElement().asString().startsWith("0 missing_field 'city' must be there, was null");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "TIMESTAMP(MICROS,false) | 1795406821000000 | -                | 1795406821000",
                "TIMESTAMP(MICROS,false) | 1795406821000000 | America/New_York | 1795424821000",
                "TIMESTAMP(MILLIS,false) | 1795406821000    | America/New_York | 1795424821000",
                "TIMESTAMP(MICROS,true)  | 1795406821000000 | America/New_York | 1795406821000",
            })
    void read_parquetTimestamp_zoneIsOfThoseNotAdjusted(String type, long value, @Nullable String zone, long expectedMs)
            throws IOException {
        ParquetFiles.plain()
                .write(
                        folder.resolve("part-0.parquet"),
                        "message m { required int64 driver_id; required int64 at (%s); optional int32 trips; }"
                                .formatted(type),
                        List.of(group -> group.append("driver_id", 1L).append("at", value)));

        assertThat(timesMs("parquet: \"%s\"", "at", zone)).containsExactly(expectedMs);
    }

    @Test
    void read_datesAndLocalText_areOfTheZone() throws IOException {
        ParquetFiles.plain()
                .write(
                        folder.resolve("part-0.parquet"),
                        "message m { required int64 driver_id; required int32 at (DATE); optional int32 trips; }",
                        List.of(group -> group.append("driver_id", 1L).append("at", 20_780)));
        Files.writeString(folder.resolve("a.csv"), """
                driver_id,trips,at
                1,2,2026-11-23
                1,2,2026-11-23 04:07:01
                1,2,2026-11-23T04:07:01Z
                """);
        long midnightMs = 20_780 * 86_400_000L;
        long hourMs = 3_600_000;

        assertThat(timesMs("parquet: \"%s/part-0.parquet\"", "at", null)).containsExactly(midnightMs);
        assertThat(timesMs("parquet: \"%s/part-0.parquet\"", "at", "America/New_York"))
                .containsExactly(midnightMs + 5 * hourMs);
        assertThat(timesMs("csv: \"%s/a.csv\"", "at", "America/New_York"))
                .containsExactly(midnightMs + 5 * hourMs, 1_795_424_821_000L, 1_795_406_821_000L);
    }

    private List<Long> timesMs(String source, String field, @Nullable String zone) throws IOException {
        String time = "{field: %s, unit: iso8601%s}".formatted(field, zone == null ? "" : ", zone: " + zone);
        Materialization spec = spec(folder, """
                source: {%s}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}]
                event_time: %s
                """.formatted(source, time));
        return read(spec, TableFiles.of(spec, TablePart.ALL), 10).good.stream()
                .map(Read::timeMs)
                .toList();
    }

    @Test
    void read_badRows_areToldAndPassedOver() throws IOException {
        Files.writeString(folder.resolve("a.csv"), """
                id,trips,vip,ts
                1,2,true,1767290400000
                ,2,true,1767290400000
                1,many,true,1767290400000
                1,2,perhaps,1767290400000
                1,2,true,17
                1,2,true,soon
                1,2
                1,Infinity,true,1767290400000
                9,,,1767290400000
                """);
        Materialization spec = spec(folder, """
                source: {csv: "%s"}
                entities: [{name: driver, field: id, type: int64}]
                features: [trips, {name: vip, type: bool}]
                event_time: {field: ts}
                """);

        Rows rows = read(spec, TableFiles.of(spec, TablePart.ALL), 3);

        assertThat(rows.good)
                .containsExactly(
                        new Read(List.of(1L), LOAD_MS, Arrays.asList(2.0, 1L)),
                        new Read(List.of(9L), LOAD_MS, Arrays.asList(null, null)));
        assertThat(rows.bad)
                .extracting(line -> line.split(" ", 3)[0] + " " + line.split(" ", 3)[1])
                .containsExactly(
                        "1 missing_field",
                        "2 wrong_type",
                        "3 wrong_type",
                        "4 time_out_of_range",
                        "5 time_invalid",
                        "6 undecodable",
                        "7 wrong_type");
        assertThat(rows.bad.get(1)).contains("'trips' must be a number, was \"many\"", "1,many,true");
    }

    @Test
    void of_tableThatDoesNotFit_tellsAllAtOnce() throws IOException {
        ParquetFiles.plain()
                .write(folder.resolve("part-0.parquet"), SCHEMA, List.of(row(1, LOAD_MS * 1_000, 5L, 1.0, true)));
        Materialization spec = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: driver, field: driver, type: int64}]
                features: [trips, {name: rating, field: avgrating}, tags, city, address]
                """);

        assertThatThrownBy(() -> TableFiles.of(spec, TablePart.ALL))
                .isInstanceOf(UnfitTableException.class)
                .hasMessageContaining("entities[0].field: no file of")
                .hasMessageContaining("features[1]: no file of")
                .hasMessageContaining("did you mean 'avg_rating'?")
                .hasMessageContaining("features[2]: column tags of")
                .hasMessageContaining("say type: double_list of it")
                .hasMessageContaining("features[3]: column city of")
                .hasMessageContaining("say type: string of it")
                .hasMessageContaining("features[4]: column address of")
                .hasMessageContaining("name a column of one value, such as address.zone");
        Materialization others = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: driver, field: tags, type: int64}]
                features: [{name: trips, type: string}, {name: avg_rating, type: double_list}]
                """);
        assertThatThrownBy(() -> TableFiles.of(others, TablePart.ALL))
                .hasMessageContaining("entities[0].field: column tags of")
                .hasMessageContaining("which only a feature can be")
                .hasMessageContaining("features[0]: column trips of")
                .hasMessageContaining("holds no text")
                .hasMessageContaining("features[1]: column avg_rating of")
                .hasMessageContaining("has one value a row");
        assertThatThrownBy(() -> TableFiles.of(spec, days("x")))
                .isInstanceOf(UnfitTableException.class)
                .hasMessageContaining("source.partitions: is empty");
    }

    @Test
    void of_changedTable_hasAnotherFingerprint() throws IOException {
        Path file = folder.resolve("a.csv");
        Files.writeString(file, "id,trips\n1,2\n");
        Materialization spec = spec(folder, """
                source: {csv: "%s"}
                entities: [{name: driver, field: id}]
                features: [trips]
                """);
        String before = TableFiles.of(spec, TablePart.ALL).fingerprint();
        assertThat(TableFiles.of(spec, TablePart.ALL).fingerprint()).isEqualTo(before);

        Files.writeString(folder.resolve("b.csv"), "id,trips\n1,3\n");

        assertThat(TableFiles.of(spec, TablePart.ALL).fingerprint()).isNotEqualTo(before);
    }

    @Test
    void file_noParquet_isToldByName() throws IOException {
        Files.writeString(folder.resolve("part-0.parquet"), "no such thing at all, but long enough");
        Materialization spec = spec(folder, """
                source: {parquet: "%s"}
                entities: [{name: driver, field: id}]
                features: [trips]
                """);

        assertThatThrownBy(() -> TableFiles.of(spec, TablePart.ALL))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("part-0.parquet: is not a Parquet file");
    }

    private static final String INTS = "message m { required int64 driver_id; optional int32 trips; }";
    private static final String TRIPS = """
            source: {parquet: "%s"}
            entities: [{name: driver, field: driver_id, type: int64}]
            features: [{name: trips, type: int64}]
            """;

    @Test
    void file_truncatedOrDamaged_isToldInOneLine() throws IOException {
        Path file = folder.resolve("part-0.parquet");
        ParquetFiles.plain().write(file, INTS, List.of(group -> group.append("driver_id", 1L)));
        byte[] whole = Files.readAllBytes(file);
        byte[] footer = whole.clone();
        Arrays.fill(footer, whole.length - 12, whole.length - 4, (byte) 0x7F);
        String remedy = "; write it again, or take it out of the table";

        for (int length : new int[] {4, 8, whole.length / 2, whole.length - 1}) {
            assertThat(problem(file, Arrays.copyOf(whole, length)))
                    .isEqualTo("%s: is truncated: its %d bytes begin as a Parquet file but do not end as one%s"
                            .formatted(file, length, remedy));
        }
        assertThat(problem(file, footer)).isEqualTo(file + ": the footer is damaged" + remedy);
        Arrays.fill(whole, 4, whole.length / 4, (byte) 0x7F);
        assertThat(problem(file, whole))
                .startsWith(file + ": row group 0")
                .endsWith(" cannot be read: the file is damaged" + remedy);
    }

    private String problem(Path file, byte[] content) throws IOException {
        Files.write(file, content);
        Materialization spec = spec(folder, TRIPS);
        return String.valueOf(catchThrowableOfType(
                        IOException.class, () -> read(spec, TableFiles.of(spec, TablePart.ALL), 10))
                .getMessage());
    }

    @Test
    void partition_badEscape_isToldWithTheFolderAndTheRemedy() throws IOException {
        Path file = folder.resolve("city=50%/part-0.parquet");
        ParquetFiles.plain().write(file, INTS, List.of(group -> group.append("driver_id", 1L)));
        Materialization spec = spec(folder, TRIPS.replace("\"%s\"", "\"%s\", partitions: [city]"));

        assertThatThrownBy(() -> TableFiles.of(spec, TablePart.ALL))
                .isInstanceOf(UnfitTableException.class)
                .hasMessage("source.partitions: the folder city=50% of " + file
                        + " has a % that is not followed by two hex digits; name it city=50%25");
    }

    @Test
    void read_unsignedBeyondInt64_isBadWithItsDigitsOrADouble() throws IOException {
        ParquetFiles.plain()
                .write(
                        folder.resolve("part-0.parquet"),
                        "message m { required int64 driver_id; required int64 trips (INTEGER(64,false)); }",
                        List.of(
                                group -> group.append("driver_id", 1L).append("trips", Long.MAX_VALUE),
                                group -> group.append("driver_id", 2L).append("trips", -1L)));
        Materialization whole = spec(folder, TRIPS);
        Materialization decimal = spec(folder, TRIPS.replace("trips, type: int64", "trips"));

        Rows rows = read(whole, TableFiles.of(whole, TablePart.ALL), 10);
        Rows doubles = read(decimal, TableFiles.of(decimal, TablePart.ALL), 10);

        assertThat(rows.good).singleElement().extracting(Read::values).isEqualTo(List.of(Long.MAX_VALUE));
        assertThat(rows.bad)
                .singleElement()
                .asString()
                .startsWith(
                        "1 wrong_type 'trips' must be of type int64, whose range is -2^63 to 2^63-1; use type: double, or write"
                                + " it as text and use type: string, was 18446744073709551615 ");
        assertThat(doubles.good).extracting(Read::values).containsExactly(List.of(0x1p63), List.of(0x1p64));
    }
}
