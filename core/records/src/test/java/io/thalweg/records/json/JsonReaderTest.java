package io.thalweg.records.json;

import static io.thalweg.records.json.OneMember.INTEGER;
import static io.thalweg.records.json.OneMember.TEXT;
import static io.thalweg.records.json.OneMember.bad;
import static io.thalweg.records.json.OneMember.fault;
import static io.thalweg.records.json.OneMember.hex;
import static io.thalweg.records.json.OneMember.row;
import static io.thalweg.records.json.OneMember.schema;
import static io.thalweg.records.json.OneMember.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader, message by message. */
class JsonReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "01",
                "-",
                "+1",
                ".5",
                "1.",
                "1e",
                "1e+",
                "0x1",
                "--1",
                "NaN",
                "-Infinity",
                "nul",
                "nulll",
                "truE",
                "True",
                "1 2",
                "'a'",
                "\"a",
                "\"\\x\"",
                "\"\\u12g4\"",
                "\"\\u12",
                "\"\\",
                "\"\t\"",
                "\"\0\"",
                "[1,]",
                "[,1]",
                "[1 2]",
                "[",
                "]",
                "{,}",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{1:1}",
                "{\"a\":1]",
                "[1}",
                "1}}",
                "1} x",
                "/**/1",
                "1,,\"b\":2"
            })
    void read_malformed_undecodableWhetherReadOrSkipped(String value) {
        byte[] message = ("{\"v\":" + value + "}").getBytes(UTF_8);
        assertThat(bad(INTEGER, message).fault()).isEqualTo(RecordFault.UNDECODABLE);
        assertThat(bad(TEXT, message).fault()).isEqualTo(RecordFault.UNDECODABLE);
        byte[] skipped = ("{\"other\":" + value + "}").getBytes(UTF_8);
        assertThat(bad(TEXT, skipped).fault()).isEqualTo(RecordFault.UNDECODABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " ",
                "[]",
                "1",
                "null",
                "\"v\"",
                "{",
                "{\"v\":\"a\"",
                "{} {}",
                "{}x",
                "{}\0",
                "{\"v\":\"a\",\"v\":\"a\"}",
                "{\"v\":\"a\",\"\\u0076\":null}",
                "\uFEFF{}",
                "{\u00a0}"
            })
    void read_notOneObject_undecodable(String message) {
        assertThat(bad(TEXT, message.getBytes(UTF_8)).fault()).isEqualTo(RecordFault.UNDECODABLE);
    }

    @Test
    void read_invalidUtf8_undecodableWhetherReadOrSkipped() {
        for (String bytes : List.of("ff", "c3", "c080", "eda080", "f4908080", "e282", "80")) {
            for (String name : List.of("v", "other")) {
                byte[] message =
                        ("{\"" + name + "\":\"12345678" + "?".repeat(bytes.length() / 2) + "\"}").getBytes(UTF_8);
                byte[] invalid = HexFormat.of().parseHex(bytes);
                System.arraycopy(invalid, 0, message, message.length - 2 - invalid.length, invalid.length);
                assertThat(bad(TEXT, message).fault()).isEqualTo(RecordFault.UNDECODABLE);
            }
        }
    }

    @Test
    void read_noBytes_empty() {
        assertThat(bad(TEXT, new byte[0]).fault()).isEqualTo(RecordFault.EMPTY);
    }

    @Test
    void read_longNumber_undecodable() {
        String longest = "1".repeat(999) + "e0";
        for (String name : List.of("v", "other")) {
            String begin = "{\"" + name + "\":";
            assertThat(bad("{\"type\":\"number\"}", (begin + longest + "0}").getBytes(UTF_8))
                            .fault())
                    .isEqualTo(RecordFault.UNDECODABLE);
        }
        assertThat(fault("{\"type\":\"number\"}", longest)).isEqualTo(RecordFault.WRONG_TYPE);
        assertThat(value("{\"type\":\"number\"}", "0." + "1".repeat(999))).isEqualTo(1.0 / 9);
    }

    @Test
    void read_depth_isLimitedWhetherReadOrSkipped() {
        String type = "{\"type\":\"array\",\"items\":" + INTEGER + "}";
        String deepest = "[".repeat(Limits.DEFAULT.depth() - 1) + "]".repeat(Limits.DEFAULT.depth() - 1);
        row(schema(TEXT), Selection.ALL, ("{\"other\":" + deepest + "}").getBytes(UTF_8));
        assertThat(bad(TEXT, ("{\"other\":[" + deepest + "]}").getBytes(UTF_8)).fault())
                .isEqualTo(RecordFault.UNDECODABLE);
        assertThat(fault(type, "[" + deepest + "]")).isEqualTo(RecordFault.UNDECODABLE);
        assertThat(fault(type, deepest)).isEqualTo(RecordFault.WRONG_TYPE);
    }

    @Test
    void read_nestedValueBeyondDepth_undecodable() {
        JsonSchema schema = schema("{\"type\":\"array\",\"items\":" + INTEGER + "}");
        Translation translation = Translation.of(schema.struct(), Selection.ALL);
        JsonReader reader = schema.reader(translation, new Limits(1000, 1000, 1, 1));
        byte[] message = "{\"v\":[1]}".getBytes(UTF_8);
        BadRecordException bad = catchThrowableOfType(
                BadRecordException.class, () -> reader.read(message, 0, message.length, new NaiveRows()));
        assertThat(bad.fault()).isEqualTo(RecordFault.UNDECODABLE);
        assertThat(bad).hasMessageContaining("limits.depth");
    }

    @Test
    void read_nullAndMissing_areAbsentOrDefault() {
        String type = "{\"type\":\"integer\",\"default\":7}";
        assertThat(value(type, "null")).isNull();
        assertThat(row(schema(type), Selection.ALL, "{}".getBytes(UTF_8))).isEqualTo(Map.of(0, 7L));
        JsonSchema required = JsonSchema.parse(
                "{\"type\":\"object\",\"properties\":{\"v\":" + INTEGER + "},\"required\":[\"v\"]}", "test.json");
        for (String message : List.of("{}", "{\"v\":null}")) {
            BadRecordException bad = catchThrowableOfType(
                    BadRecordException.class, () -> row(required, Selection.ALL, message.getBytes(UTF_8)));
            assertThat(bad.fault()).isEqualTo(RecordFault.MISSING_FIELD);
        }
    }

    @Test
    void read_map_reportsAllEntries() {
        String type = "{\"type\":\"object\",\"additionalProperties\":{\"type\":[\"integer\",\"null\"]}}";
        assertThat(value(type, "{\"a\":1,\"\\u0062\":null,\"\":3}"))
                .isEqualTo(Arrays.asList(hex("a"), 1L, hex("b"), null, "", 3L));
        assertThat(value(type, "{\"b\":1,\"\\u0062\":2}")).isEqualTo(List.of(hex("b"), 1L, hex("b"), 2L));
        StringBuilder large = new StringBuilder("{\"0\":0");
        for (int i = 1; i < 1000; i++) {
            large.append(",\"").append(i).append("\":").append(i);
        }
        assertThat((List<?>) value(type, large + "}")).hasSize(2000);
    }

    @Test
    void read_sameFieldTwiceAndItsParts_areAllReported() {
        JsonSchema schema = schema("{\"type\":\"object\",\"properties\":{\"a\":" + INTEGER + ",\"b\":" + TEXT + "}}");
        Selection selection = new Selection(List.of(
                new Selection.Column("x", List.of("v")),
                new Selection.Column("y", List.of("v", "a")),
                new Selection.Column("z", List.of("v"))));
        Map<Integer, @Nullable Object> expected = new TreeMap<>();
        expected.put(0, Map.of(1, 5L, 2, hex("t")));
        expected.put(3, 5L);
        expected.put(4, Map.of(5, 5L, 6, hex("t")));
        assertThat(row(schema, selection, "{\"v\":{\"b\":\"t\",\"c\":0,\"a\":5}}".getBytes(UTF_8)))
                .isEqualTo(expected);
        expected.replaceAll((slot, unused) -> null);
        assertThat(row(schema, selection, "{\"v\":null}".getBytes(UTF_8))).isEqualTo(expected);
    }

    @Test
    void read_beginningsOfNames_areUnknown() {
        String name = "n".repeat(50);
        JsonSchema schema = JsonSchema.parse(
                "{\"type\":\"object\",\"properties\":{\"" + name + "\":" + INTEGER + "}}", "test.json");
        StringBuilder message = new StringBuilder("{\"" + name + "\":1");
        for (int length = 0; length < 100; length++) {
            message.append(length == 50 ? "" : ",\"" + "n".repeat(length) + "\":2");
        }
        assertThat(row(schema, Selection.ALL, (message + "}").getBytes(UTF_8))).isEqualTo(Map.of(0, 1L));
    }

    @Test
    void read_sameKeyInSeveralMaps_isNotTwice() {
        String map = "{\"type\":\"object\",\"additionalProperties\":" + INTEGER + "}";
        assertThat(value("{\"type\":\"array\",\"items\":" + map + "}", "[{\"a\":1},{\"a\":2},{},{\"b\":3,\"a\":4}]"))
                .isEqualTo(List.of(
                        List.of(hex("a"), 1L), List.of(hex("a"), 2L), List.of(), List.of(hex("b"), 3L, hex("a"), 4L)));
    }

    @Test
    void read_namesThatNeedEscapes_areFound() {
        JsonSchema schema = JsonSchema.parse(
                "{\"type\":\"object\",\"properties\":{\"a\\\":1,\\\"b\":" + INTEGER + ",\"\":" + INTEGER + "}}",
                "test.json");
        assertThat(row(schema, Selection.ALL, "{\"a\\\":1,\\\"b\":2,\"\":3}".getBytes(UTF_8)))
                .isEqualTo(Map.of(0, 2L, 1, 3L));
        Map<Integer, Object> absent = new TreeMap<>();
        absent.put(0, null);
        absent.put(1, null);
        assertThat(row(schema, Selection.ALL, "{\"a\":1,\"b\":2}".getBytes(UTF_8)))
                .isEqualTo(absent);
    }

    @Test
    void read_afterBadMessage_nextIsRead() {
        JsonSchema schema = schema(TEXT);
        JsonReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
        byte[] bad = "{\"v\":\"a\",\"x\":[[[{\"y\":1".getBytes(UTF_8);
        byte[] good = "{\"v\":\"b\"}".getBytes(UTF_8);
        for (int i = 0; i < 100; i++) {
            assertThatExceptionOfType(BadRecordException.class)
                    .isThrownBy(() -> reader.read(bad, 0, bad.length, new NaiveRows()));
            NaiveRows rows = new NaiveRows();
            reader.read(good, 0, good.length, rows);
            assertThat(rows.row()).isEqualTo(Map.of(0, hex("b")));
        }
    }

    @Test
    void read_wrongType_namesPathAndWhatIsThere() {
        assertThat(bad("{\"type\":\"array\",\"items\":" + INTEGER + "}", "{\"v\":[1,\"a\"]}".getBytes(UTF_8)))
                .hasMessage("'v' must be a number, was text");
        assertThat(bad(TEXT, "{\"v\":\"a\" \"b\":1}".getBytes(UTF_8)))
                .hasMessage("malformed JSON at byte 9: expected ',' or '}', found '\"'");
    }
}
