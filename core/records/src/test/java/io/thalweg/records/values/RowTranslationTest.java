package io.thalweg.records.values;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.RandomRecords;
import io.thalweg.records.write.RandomSchemas;
import io.thalweg.records.write.Tree;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@link RowWriter} and {@link RowFieldReader}. The tests of the formats cover their readers. */
class RowTranslationTest {
    private static final int DEEPEST = 5;
    private static final int LONGEST = 12;
    private static final int MESSAGES = 60;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_randomRecordsByWayOfARow_endAsTheyDoDirectly(long seed) {
        Random random = new Random(seed);
        Struct schema =
                random.nextBoolean() ? RandomSchemas.nested(random, DEEPEST) : RandomSchemas.next(random, false);
        RandomRecords records = new RandomRecords(random, LONGEST);
        ByRow byRow = new ByRow(schema);
        for (int i = 0; i < MESSAGES; i++) {
            List<@Nullable Object> record = records.struct(schema);
            long order = random.nextLong();
            byRow.check(writer -> Tree.play(schema, record, writer, new Random(order)));
        }
    }

    private static Struct one(FieldType type) {
        return new Struct(List.of(Field.required("v", type)));
    }

    /** Returns the JSON form of a value. */
    private static String written(FieldType type, @Nullable Object value) {
        Struct schema = one(type);
        JsonBytes json = new JsonBytes(schema);
        json.begin();
        new RowFieldReader(schema).read(new Row(RowShape.of(schema)).set("v", value), json);
        json.end();
        String text = new String(json.data(), json.from(), json.to() - json.from(), UTF_8);
        return text.substring("{\"v\":".length(), text.length() - 1);
    }

    @Test
    void read_valuesOfEachType_areWritten() {
        assertThat(written(FieldType.BOOL, true)).isEqualTo("true");
        assertThat(written(FieldType.INT8, -128)).isEqualTo("-128");
        assertThat(written(FieldType.INT64, (short) 7)).isEqualTo("7");
        assertThat(written(FieldType.DOUBLE, 3)).isEqualTo("3.0");
        assertThat(written(FieldType.FLOAT, 0.1f)).isEqualTo("0.1");
        assertThat(written(FieldType.TEXT, "a\uD83D\uDE00b")).isEqualTo("\"a😀b\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> written(FieldType.TEXT, "a\uD800b"))
                .withMessage("'v' must be valid Unicode text, was text with half of a surrogate pair");
        assertThat(written(FieldType.UUID, new UUID(1, 2))).isEqualTo("\"00000000-0000-0001-0000-000000000002\"");
        assertThat(written(FieldType.DATE, LocalDate.of(1969, 12, 31))).isEqualTo("\"1969-12-31\"");
        assertThat(written(FieldType.TIME, LocalTime.of(23, 59, 59, 999_999_999)))
                .isEqualTo("\"23:59:59.999999\"");
        assertThat(written(FieldType.TIMESTAMP, Instant.ofEpochSecond(-1, 999_999_999)))
                .isEqualTo("\"1969-12-31T23:59:59.999999Z\"");
        assertThat(written(FieldType.LOCAL_TIMESTAMP, LocalDateTime.of(2026, 1, 2, 3, 4)))
                .isEqualTo("\"2026-01-02T03:04:00\"");
        assertThat(written(new Decimal(5, 2), new BigDecimal("-1.5000"))).isEqualTo("\"-1.50\"");
        assertThat(written(new Decimal(5, 2), new BigDecimal("9.99e2"))).isEqualTo("\"999.00\"");
        assertThat(written(new Decimal(5, 2), new BigDecimal("0e-999999999"))).isEqualTo("\"0.00\"");
        assertThat(written(new MapOf(FieldType.TEXT, FieldType.INT64, false), nullValue()))
                .isEqualTo("{\"a\":null}");
    }

    private static Map<String, @Nullable Object> nullValue() {
        Map<String, @Nullable Object> map = new HashMap<>();
        map.put("a", null);
        return map;
    }

    @Test
    void read_valuesThatDoNotFit_areRefusedByName() {
        refused(FieldType.BOOL, "true", "'v' must be a Boolean, was of class String");
        refused(FieldType.INT8, 128L, "'v' must be an integer of 8 bits, was 128");
        refused(FieldType.INT32, 1L << 31, "'v' must be an integer of 32 bits, was 2147483648");
        refused(FieldType.INT64, 1.0, "'v' must be a Long, was of class Double");
        refused(FieldType.FLOAT, 1e39, "'v' must be a number of 32 bits, was 1.0E39");
        refused(FieldType.DOUBLE, 1L, "'v' must be a Double, was of class Long");
        refused(FieldType.TEXT, 1, "'v' must be a String, was of class Integer");
        refused(FieldType.TIMESTAMP, Instant.MAX, "'v' must be a time between the years");
        refused(FieldType.DATE, LocalDate.MAX, "'v' must be a date within five million years");
        refused(new Decimal(5, 2), new BigDecimal("1000"), "'v' must be a decimal of at most 5 digits, 2 of them");
        refused(new Decimal(5, 2), new BigDecimal("0.001"), "'v' must be a decimal of at most 5 digits, 2 of them");
        refused(new Decimal(5, 2), new BigDecimal("1e999999999"), "'v' must be a decimal of at most 5 digits");
        refused(new Decimal(5, 2), new BigDecimal("1e-999999999"), "'v' must be a decimal of at most 5 digits");
        refused(FieldType.TEXT, null, "'v' must have a value");
        refused(new ListOf(FieldType.TEXT, true), Arrays.asList("a", null), "'v[]' must have a value");
        refused(new MapOf(FieldType.TEXT, FieldType.TEXT, true), Map.of(1, "a"), "'v[key]' must be a String");
        refused(one(FieldType.TEXT), Map.of("v", "a"), "'v' must be a Row, was of class Map1");
        Struct inner = one(FieldType.INT8);
        Row row = new Row(RowShape.of(inner)).set("v", 1_000L);
        refused(new ListOf(inner, true), List.of(row), "'v[].v' must be an integer of 8 bits, was 1000");
    }

    private static void refused(FieldType type, @Nullable Object value, String why) {
        assertThatThrownBy(() -> written(type, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void read_endsOfTimestamps_areKept() {
        for (long micros : new long[] {Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, Long.MAX_VALUE}) {
            new ByRow(one(FieldType.TIMESTAMP)).check(writer -> writer.int64(0, micros));
        }
    }

    @Test
    void int64_timeBeyondADay_isOutOfRange() {
        RowWriter writer = new RowWriter(one(FieldType.TIME), RowShape.of(one(FieldType.TIME)));
        writer.begin();
        assertThatThrownBy(() -> writer.int64(0, 86_400_000_000L)).isInstanceOf(BadRecordException.class);
        assertThatThrownBy(() -> writer.int64(0, -1)).isInstanceOf(BadRecordException.class);
    }

    @Test
    void read_rowOfAnotherShape_goesByName() {
        Scalar text = FieldType.TEXT;
        Struct in = new Struct(List.of(
                Field.required("gone", text),
                Field.required("kept", text),
                Field.optional("inner", new Struct(List.of(Field.optional("a", text))))));
        Struct out = new Struct(List.of(
                Field.optional("added", text),
                Field.optional("inner", new Struct(List.of(Field.optional("b", text), Field.optional("a", text)))),
                Field.optional("kept", text)));
        RowWriter rows = new RowWriter(in, RowShape.of(in, out));
        rows.begin();
        rows.bytes(1, "k".getBytes(UTF_8), 0, 1);
        rows.bytes(0, "g".getBytes(UTF_8), 0, 1);
        rows.beginStruct(2);
        rows.bytes(3, "a".getBytes(UTF_8), 0, 1);
        rows.endStruct(2);
        Row event = rows.row();
        assertThat(event.text("gone")).isEqualTo("g");
        assertThat(event.row("inner")).isNotNull();
        event.set("added", "new").set("inner", event.newRow("inner").set("b", "B"));
        JsonBytes json = new JsonBytes(out);
        RowFieldReader reader = new RowFieldReader(out);
        for (Row row : List.of(event, new Row(RowShape.of(in)).set("kept", "k"), event)) {
            json.begin();
            reader.read(row, json);
            json.end();
        }
        assertThat(new String(json.data(), json.from(), json.to() - json.from(), UTF_8))
                .isEqualTo("{\"added\":\"new\",\"inner\":{\"b\":\"B\"},\"kept\":\"k\"}");
    }
}
