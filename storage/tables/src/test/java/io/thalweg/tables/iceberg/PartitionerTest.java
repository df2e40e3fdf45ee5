package io.thalweg.tables.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.TableValues;
import io.thalweg.tables.iceberg.PartitionRule.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class PartitionerTest {
    private static final Struct ROWS = new Struct(List.of(
            Field.required("id", FieldType.INT64),
            Field.optional("ts", FieldType.TIMESTAMP),
            Field.optional("date", FieldType.DATE),
            Field.optional("city", FieldType.TEXT),
            Field.optional("vip", FieldType.BOOL),
            Field.optional("zone", new Struct(List.of(Field.required("number", FieldType.INT32)))),
            Field.optional("fare", FieldType.DOUBLE),
            Field.optional("tags", new ListOf(FieldType.TEXT, true))));

    private static PartitionRule rule(Kind kind, String column) {
        return new PartitionRule(kind, kind == Kind.BUCKET ? 16 : 0, column);
    }

    private static List<@Nullable Object> row(long id, @Nullable Long ts, @Nullable Long date, @Nullable String city) {
        return Arrays.asList(
                (Object) id,
                ts,
                date,
                city == null ? null : TableValues.text(city),
                id % 3 == 0 ? null : (Object) (id % 3 == 1),
                id % 5 == 0 ? null : List.of(id % 5),
                1.5,
                List.of(TableValues.text("a"), TableValues.text("b")));
    }

    private static long micros(Instant time) {
        return time.getEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    /** Returns Hive's name of the partition, computed with the JDK's calendar. */
    private static String naive(PartitionRule rule, List<@Nullable Object> row) {
        String column = rule.column();
        if (column.equals("ts") || column.equals("date")) {
            Object value = row.get(column.equals("ts") ? 1 : 2);
            if (value == null) {
                return Partitioner.NO_VALUE;
            }
            LocalDateTime time = column.equals("ts")
                    ? LocalDateTime.ofInstant(Instant.EPOCH.plus((Long) value, ChronoUnit.MICROS), ZoneOffset.UTC)
                    : LocalDate.ofEpochDay((Long) value).atStartOfDay();
            String pattern = switch (rule.kind()) {
                case HOUR -> "uuuu-MM-dd-HH";
                case DAY, VALUE -> "uuuu-MM-dd";
                case MONTH -> "uuuu-MM";
                default -> "uuuu";
            };
            return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).format(time);
        }
        return switch (column) {
            case "city" ->
                row.get(3) == null
                        ? Partitioner.NO_VALUE
                        : StandardCharsets.UTF_8
                                .decode(((ByteBuffer) row.get(3)).duplicate())
                                .toString();
            case "vip" -> row.get(4) == null ? Partitioner.NO_VALUE : String.valueOf(row.get(4));
            default -> row.get(5) == null ? Partitioner.NO_VALUE : String.valueOf(((List<?>) row.get(5)).get(0));
        };
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void split_randomRows_areInTheFoldersOfTheCalendar(long seed) {
        Random random = new Random(seed);
        List<PartitionRule> all = List.of(
                rule(Kind.HOUR, "ts"),
                rule(Kind.DAY, "date"),
                rule(Kind.MONTH, "ts"),
                rule(Kind.YEAR, "date"),
                rule(Kind.VALUE, "date"),
                rule(Kind.VALUE, "city"),
                rule(Kind.VALUE, "vip"),
                rule(Kind.VALUE, "zone.number"));
        List<PartitionRule> rules =
                all.stream().filter(rule -> random.nextInt(4) == 0).toList();
        long middle = micros(Instant.parse("1970-01-01T00:00:00Z"));
        long from = random.nextBoolean() ? middle - 40_000_000_000_000L : middle;
        Map<String, List<Object>> expected = new TreeMap<>();
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (long id = 0; id < 200; id++) {
            List<@Nullable Object> row = row(
                    id,
                    random.nextInt(9) == 0 ? null : from + random.nextLong(20_000_000_000L),
                    random.nextInt(9) == 0 ? null : random.nextLong(-40, 900),
                    random.nextInt(9) == 0 ? null : "city" + random.nextInt(3));
            rows.add(row);
            String folder = String.join(
                    "/",
                    rules.stream()
                            .map(rule -> (rule.kind() == Kind.VALUE
                                            ? rule.column()
                                            : rule.kind().name().toLowerCase(Locale.ROOT))
                                    + "=" + naive(rule, row))
                            .toList());
            expected.computeIfAbsent(folder, empty -> new ArrayList<>()).add(id);
        }
        Partitioner partitioner = new TableLayout(ROWS, rules, false).partitioner();

        Map<String, List<Object>> split = new TreeMap<>();
        for (Partitioner.Part part : partitioner.split(TableValues.columns(ROWS, rows))) {
            split.put(partitioner.folder(part.partition()), ids(part.rows()));
        }

        assertThat(split).isEqualTo(expected);
    }

    private static List<Object> ids(ColumnBatch rows) {
        LeafColumn ids = rows.leaves().get(0);
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < ids.values(); i++) {
            values.add(ids.longAt(i));
        }
        return values;
    }

    /** Hashes of Iceberg's specification, appendix B: 34 is 2017239379, "iceberg" 1210000089. */
    @Test
    void split_buckets_areThoseOfTheSpecification() {
        Partitioner byId = new TableLayout(ROWS, List.of(rule(Kind.BUCKET, "id")), false).partitioner();
        Partitioner byCity = new TableLayout(ROWS, List.of(rule(Kind.BUCKET, "city")), false).partitioner();
        ColumnBatch batch = TableValues.columns(ROWS, List.of(row(34, null, null, "iceberg")));

        assertThat(byId.split(batch).get(0).partition().values()).containsExactly(2017239379 % 16);
        assertThat(byId.folder(byId.split(batch).get(0).partition())).isEqualTo("bucket=" + 2017239379 % 16);
        assertThat(byCity.split(batch).get(0).partition().values()).containsExactly(1210000089 % 16);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a/b|city=a%2Fb",
                "..|city=..",
                "a=b c|city=a%3Db%20c",
                "50%|city=50%25",
                "Zürich|city=Z%C3%BCrich",
                "''|city=__HIVE_DEFAULT_PARTITION__"
            })
    void folder_anyText_isAName(String city, String folder) {
        Partitioner partitioner = new TableLayout(ROWS, List.of(rule(Kind.VALUE, "city")), false).partitioner();

        assertThat(partitioner.folder(new Partition(List.of(city)))).isEqualTo(folder);
    }

    @ParameterizedTest
    @CsvSource({
        "ts, 0001-01-01T00:00:00Z, true",
        "ts, 0000-12-31T23:59:59.999999Z, false",
        "ts, 9999-12-31T23:59:59.999999Z, true",
        "ts, +10000-01-01T00:00:00Z, false",
        "date, 0001-01-01T00:00:00Z, true",
        "date, 0000-12-31T00:00:00Z, false",
        "date, 9999-12-31T00:00:00Z, true",
        "date, +10000-01-01T00:00:00Z, false"
    })
    void requireLast_timeBeyondTheCalendar_isBad(String column, Instant time, boolean good) {
        Partitioner partitioner = new TableLayout(ROWS, List.of(rule(Kind.MONTH, column)), false).partitioner();
        ColumnWriter writer = new ColumnWriter(new Struct(ROWS.fields().subList(0, 3)));
        writer.begin();
        writer.int64(0, 1);
        writer.int64(1, micros(time));
        writer.int64(2, Math.floorDiv(micros(time), 86_400_000_000L));

        if (good) {
            partitioner.requireLast(writer, true);
        } else {
            assertThatThrownBy(() -> partitioner.requireLast(writer, true))
                    .isInstanceOfSatisfying(
                            BadRecordException.class,
                            e -> assertThat(e.fault()).isEqualTo(RecordFault.TIME_OUT_OF_RANGE))
                    .hasMessage(
                            "'" + column + "' must be in the years 1 to 9999, because the table is partitioned by it");
        }
    }

    @ParameterizedTest
    @CsvSource({"x, 200, true", "x, 201, false", "ü, 33, true", "ü, 34, false"})
    void requireLast_textTooLongForAFolder_isBadOnlyThere(String letter, int count, boolean good) {
        Struct rows = new Struct(List.of(Field.required("city", FieldType.TEXT)));
        Partitioner partitioner = new TableLayout(rows, List.of(rule(Kind.VALUE, "city")), false).partitioner();
        ColumnWriter writer = new ColumnWriter(rows);
        byte[] text = letter.repeat(count).getBytes(StandardCharsets.UTF_8);
        writer.begin();
        writer.bytes(0, text, 0, text.length);

        partitioner.requireLast(writer, false);
        if (good) {
            partitioner.requireLast(writer, true);
        } else {
            assertThatThrownBy(() -> partitioner.requireLast(writer, true)).hasMessageContaining("at most 200 bytes");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "VALUE|nowhere|'nowhere' is not a column with single values; there are: id, ts,",
                "VALUE|zone|'zone' is not a column with single values",
                "VALUE|fare|'fare' is none of these",
                "VALUE|tags.element|'tags.element' is not a column with single values",
                "VALUE|tags|'tags' is not a column with single values",
                "HOUR|date|hour takes timestamps",
                "BUCKET|fare|'fare' is none of these",
                "DAY|city|'city' is none of these"
            })
    void require_whatCannotPartition_isRefused(Kind kind, String column, String message) {
        assertThatThrownBy(() -> Partitioner.require(ROWS, List.of(rule(kind, column)), false))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("the table cannot be partitioned by ")
                .hasMessageContaining(message);
    }

    @Test
    void require_foldersOfOneName_areRefused() {
        List<PartitionRule> twice = List.of(rule(Kind.DAY, "ts"), rule(Kind.DAY, "date"));
        Struct withHour =
                new Struct(List.of(Field.required("hour", FieldType.INT32), Field.required("ts", FieldType.TIMESTAMP)));

        Partitioner.require(ROWS, twice, false);
        assertThatThrownBy(() -> Partitioner.require(ROWS, twice, true))
                .hasMessageContaining("two of [{day: ts}, {day: date}] would have folders of the same name");
        assertThatThrownBy(() -> Partitioner.require(withHour, List.of(rule(Kind.HOUR, "ts")), true))
                .hasMessageContaining("would be named as column 'hour'; rename the column");
    }
}
