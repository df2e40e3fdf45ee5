package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.source.Source;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonDecoderTest {
    private static final String[] FIELDS = {"a", "b", "a.b", "a.b.c", "d.\"x.y\"", "t", "n"};
    private static final Projection PROJECTION = Views.projection(Source.Format.JSON, FIELDS);
    private static final List<String> DOCUMENTS = List.of(
            "{\"a\":{\"b\":1,\"z\":[1,2,{\"a\":7}]},\"b\":\"text\",\"t\":1451671200000,\"n\":-0.5e3}",
            "{\"a\":{\"b\":{\"c\":true}},\"a\":{\"b\":{\"c\":null}},\"d\":{\"x.y\":12345678901234567890}}",
            "{\"a\":{\"b\":{\"c\":1.25}},\"a\":2,\"t\":\"\\u0041\\ud83d\\ude00é\"}",
            " {\"skip\":{\"deep\":[[[\"x\\\"y\"]],{\"k\":-12}]},\"\\u0074\":9223372036854775807,\"n\":40.758896} ",
            "{\"n\":1E400,\"t\":-9223372036854775808,\"b\":\"日本語 \\/ \\b\\n\",\"a\":[],\"d\":null}");
    private static final byte[] SPICE =
            "{}[]\",:\\0123456789.eE+-tfn NaI/*'u\t\n\r\u0000\u007F".getBytes(StandardCharsets.UTF_8);
    private static final JsonMapper TREES = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(EventDecoder.MAX_DEPTH)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final EventColumns events = new EventColumns(PROJECTION);
    private final EventDecoder decoder = EventDecoder.create(PROJECTION);

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_mutatedDocuments_agreesWithTheTreeModel(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            byte[] data = DOCUMENTS.get(random.nextInt(DOCUMENTS.size())).getBytes(StandardCharsets.UTF_8);
            for (int m = random.nextInt(4); m > 0; m--) {
                data = mutate(data, random);
            }
            check(data);
        }
    }

    private void check(byte[] data) {
        events.clear();
        byte[] padded = new byte[data.length + 7];
        Arrays.fill(padded, (byte) '}');
        System.arraycopy(data, 0, padded, 3, data.length);
        decoder.decode(padded, 3, data.length, 0, 0, events);
        JsonNode tree = tree(data);
        String text = new String(data, StandardCharsets.UTF_8);
        assertThat(events.decodeReason(0) == null)
                .as("accepted, of %s, error %s", text, events.decodeError(0))
                .isEqualTo(tree != null);
        for (int c = 0; tree != null && c < PROJECTION.size(); c++) {
            JsonNode node = tree;
            for (String segment : PROJECTION.paths().get(c).segments()) {
                node = node == null ? null : node.get(segment);
            }
            assertThat(value(c))
                    .as("%s of %s", PROJECTION.paths().get(c).text(), text)
                    .isEqualTo(value(node));
        }
    }

    private static @Nullable JsonNode tree(byte[] data) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(data))
                    .toString();
            JsonNode tree = TREES.readTree(text);
            return tree.isObject() ? tree : null;
        } catch (CharacterCodingException | JsonProcessingException e) {
            return null;
        }
    }

    private static String value(@Nullable JsonNode node) {
        if (node == null) {
            return "MISSING";
        }
        return switch (node.getNodeType()) {
            case NULL -> "NULL";
            case STRING -> isUnicode(node.textValue()) ? "STRING " + node.textValue() : "INVALID_TEXT";
            case BOOLEAN -> "BOOL " + node.booleanValue();
            case NUMBER ->
                node.isIntegralNumber() && node.canConvertToLong()
                        ? "INTEGER " + node.longValue()
                        : "DOUBLE " + node.doubleValue();
            default -> "OTHER";
        };
    }

    private static boolean isUnicode(String text) {
        return text.codePoints().noneMatch(point -> point >= 0xD800 && point <= 0xDFFF);
    }

    private String value(int c) {
        FieldKind kind = events.kind(0, c);
        return switch (kind) {
            case STRING -> "STRING " + events.string(0, c);
            case BOOL -> "BOOL " + events.bool(0, c);
            case INTEGER -> "INTEGER " + events.integer(0, c);
            case DOUBLE -> "DOUBLE " + events.number(0, c);
            default -> kind.name();
        };
    }

    private static byte[] mutate(byte[] data, Random random) {
        if (data.length == 0) {
            return data;
        }
        int at = random.nextInt(data.length);
        int length = Math.min(data.length - at, 1 + random.nextInt(8));
        return switch (random.nextInt(6)) {
            case 0 -> splice(data, at, length, new byte[0]);
            case 1 -> splice(data, at, 0, Arrays.copyOfRange(data, at, at + length));
            case 2 -> splice(data, at, 1, new byte[] {(byte) random.nextInt(256)});
            case 3 -> splice(data, at, 0, new byte[] {SPICE[random.nextInt(SPICE.length)]});
            case 4 -> splice(data, at, 1, new byte[] {SPICE[random.nextInt(SPICE.length)]});
            default -> Arrays.copyOf(data, at);
        };
    }

    private static byte[] splice(byte[] data, int at, int removed, byte[] added) {
        ByteBuffer out = ByteBuffer.allocate(data.length - removed + added.length);
        out.put(data, 0, at).put(added).put(data, at + removed, data.length - at - removed);
        return out.array();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0", "0", "-0.0", "-0e5", "-0E-3", "-0.000", "0e1", "-1", "-0.5", "-1e-400"})
    void decode_number_isWhatParseDoubleReads(String token) {
        byte[] data = ("{\"n\":" + token + "}").getBytes(StandardCharsets.UTF_8);
        Projection projection = Views.projection(Source.Format.JSON, "n");
        for (EventDecoder each : List.of(JsonDecoder.scanning(projection), JsonDecoder.parsing(projection))) {
            EventColumns decoded = new EventColumns(projection);
            each.decode(data, 0, data.length, 0, 0, decoded);

            assertThat(Double.doubleToRawLongBits(decoded.number(0, 0)))
                    .isEqualTo(Double.doubleToRawLongBits(Double.parseDouble(token)));
        }
    }

    @Test
    void decode_negativeZero_isTheIntegerZero() {
        byte[] data = "{\"n\":-0}".getBytes(StandardCharsets.UTF_8);
        Projection projection = Views.projection(Source.Format.JSON, "n");
        EventColumns decoded = new EventColumns(projection);
        JsonDecoder.scanning(projection).decode(data, 0, data.length, 0, 0, decoded);

        assertThat(decoded.kind(0, 0)).isEqualTo(FieldKind.INTEGER);
        assertThat(decoded.integer(0, 0)).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":{\"b\":1},\"a\":2} | a.b | MISSING",
                "{\"a\":{\"b\":1},\"a\":2} | a | INTEGER 2",
                "{\"a\":1,\"a\":{\"b\":3}} | a.b | INTEGER 3",
                "{\"a\":1,\"a\":null} | a | NULL",
                "{\"a\":{\"b\":1},\"a\":{}} | a.b | MISSING",
                "{\"\\u0074\":5} | t | INTEGER 5",
                "{\"d\":{\"x.y\":true}} | d.\"x.y\" | BOOL true",
                "{\"n\":9223372036854775808} | n | DOUBLE 9.223372036854776E18",
                "{\"n\":1e400} | n | DOUBLE Infinity",
                "{\"b\":\"\\ud800\"} | b | INVALID_TEXT",
                "{\"b\":\"\\ude00\\ud83d\"} | b | INVALID_TEXT",
                "{\"b\":\"\\ud83d\\ude00\"} | b | STRING 😀",
                "{\"b\":\"\ufffd\"} | b | STRING \ufffd",
                "{\"t\":\"\\ud800\",\"b\":\"x\"} | b | STRING x",
                "{\"a\":[1]} | a | OTHER",
            })
    void decode_document_holdsTheValue(String document, String field, String expected) {
        decode(document.getBytes(StandardCharsets.UTF_8));
        assertThat(events.decodeError(0)).isNull();
        assertThat(value(Arrays.asList(FIELDS).indexOf(field))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "null",
                "[]",
                "\"x\"",
                "1",
                "{\"a\":1}{}",
                "{\"a\":1}x",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"zz\":-Infinity}",
                "{\"a\":01}",
                "{\"a\":1,}",
                "{'a':1}",
                "{a:1}",
                "{\"a\":1 /* c */}",
                "{\"a\":\"\t\"}",
                "{\"zz\":\"\\x\"}",
                "{\"a\":.5}",
                "{\"a\":5.}",
                "{\"a\":+1}",
                "{\"zz\":tru}",
                "{\"a\":1",
                "not json"
            })
    void decode_illFormed_isUndecodable(String document) {
        decode(document.getBytes(StandardCharsets.UTF_8));
        assertThat(events.decodeReason(0)).isEqualTo(BadReason.UNDECODABLE);
        assertThat(events.decodeError(0)).isNotBlank();
        assertThat(events.kind(0, 0)).isEqualTo(FieldKind.MISSING);
    }

    @ParameterizedTest
    @ValueSource(strings = {"C0AF", "E080AF", "EDA080", "F08080AF", "F4908080", "FF", "C3", "E282", "80"})
    void decode_malformedUtf8InASkippedField_isUndecodable(String hex) {
        byte[] bad = java.util.HexFormat.of().parseHex(hex);
        decode(splice("{\"zz\":\"\"}".getBytes(StandardCharsets.UTF_8), 7, 0, bad));
        assertThat(events.decodeError(0)).contains("invalid UTF-8 in a string at byte 7");
    }

    @Test
    void decode_utf16_isUndecodable() {
        for (var charset : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE, StandardCharsets.UTF_16)) {
            decode("{\"a\":1}".getBytes(charset));
            assertThat(events.decodeReason(0)).as("%s", charset).isEqualTo(BadReason.UNDECODABLE);
        }
    }

    @Test
    void decode_nesting_thousandLevelsAtMost() {
        decode(nested(EventDecoder.MAX_DEPTH - 1));
        assertThat(events.decodeError(0)).isNull();
        for (int depth : new int[] {EventDecoder.MAX_DEPTH, 400_000}) {
            decode(nested(depth));
            assertThat(events.decodeReason(0)).isEqualTo(BadReason.UNDECODABLE);
        }
    }

    private static byte[] nested(int arrays) {
        return ("{\"zz\":" + "[".repeat(arrays) + "]".repeat(arrays) + "}").getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void decode_longTokens_areWellFormed() {
        decode(("{\"zz\":" + "1".repeat(900_000) + ",\"n\":0." + "3".repeat(5_000) + "}")
                .getBytes(StandardCharsets.UTF_8));
        assertThat(events.decodeError(0)).isNull();
        assertThat(events.number(0, 6)).isEqualTo(1.0 / 3);
        decode(("{\"" + "k".repeat(500_000) + "\":\"" + "v".repeat(500_000) + "\"}").getBytes(StandardCharsets.UTF_8));
        assertThat(events.decodeError(0)).isNull();
    }

    @Test
    void decode_overOneMebibyte_isTooLarge() {
        byte[] data = new byte[EventDecoder.MAX_RECORD_BYTES + 1];
        Arrays.fill(data, (byte) ' ');
        data[0] = '{';
        data[1] = '}';
        decode(data);
        assertThat(events.decodeReason(0)).isEqualTo(BadReason.TOO_LARGE);
        decode(Arrays.copyOf(data, EventDecoder.MAX_RECORD_BYTES));
        assertThat(events.decodeReason(0)).isNull();
    }

    @Test
    void decode_recordFields_readTheRecord() {
        Projection projection = Views.projection(Source.Format.JSON, "$key", "$timestamp", "$partition", "$headers.h");
        EventColumns columns = new EventColumns(projection);
        byte[] data = "{\"$key\":1}".getBytes(StandardCharsets.UTF_8);
        EventDecoder records = EventDecoder.create(projection);
        records.decode(data, 0, data.length, new KafkaOrigin(3, 17, Views.T0), columns);
        records.decode(data, 0, data.length, 3, 18, columns);
        assertThat(columns.string(0, 0)).isEqualTo("k");
        assertThat(columns.integer(0, 1)).isEqualTo(Views.T0);
        assertThat(columns.integer(0, 2)).isEqualTo(3);
        assertThat(columns.string(0, 3)).isEqualTo("v");
        assertThat(columns.recordOffset(1)).isEqualTo(18);
        assertThat(columns.kind(1, 0)).isEqualTo(FieldKind.NULL);
        assertThat(columns.kind(1, 1)).isEqualTo(FieldKind.MISSING);
        assertThat(columns.kind(1, 3)).isEqualTo(FieldKind.MISSING);
    }

    @Test
    void decode_recordKeyThatIsNotUtf8_isInvalidText() {
        Projection projection = Views.projection(Source.Format.JSON, "$key", "$headers.h");
        EventColumns columns = new EventColumns(projection);
        RecordOrigin origin = new RecordOrigin() {
            @Override
            public int partition() {
                return 0;
            }

            @Override
            public long offset() {
                return 0;
            }

            @Override
            public byte[] key() {
                return new byte[] {(byte) 0xFF, (byte) 0xFE};
            }

            @Override
            public byte[] last(String name) {
                return new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80};
            }
        };
        EventDecoder.create(projection).decode("{}".getBytes(StandardCharsets.UTF_8), 0, 2, origin, columns);
        assertThat(columns.kind(0, 0)).isEqualTo(FieldKind.INVALID_TEXT);
        assertThat(columns.kind(0, 1)).isEqualTo(FieldKind.INVALID_TEXT);
        assertThat(columns.shown(0, 0)).isEqualTo("bytes that are not UTF-8, or half of a surrogate pair");
    }

    @Test
    void decode_manyEvents_keepsThemApart() {
        EventColumns columns = new EventColumns(PROJECTION);
        for (int i = 0; i < 1_000; i++) {
            byte[] data =
                    (i % 7 == 3 ? "{" : "{\"b\":\"v" + i + "\",\"t\":" + i + "}").getBytes(StandardCharsets.UTF_8);
            decoder.decode(data, 0, data.length, 0, i, columns);
        }
        for (int i = 0; i < 1_000; i++) {
            if (i % 7 == 3) {
                assertThat(columns.decodeReason(i)).isEqualTo(BadReason.UNDECODABLE);
            } else {
                assertThat(columns.string(i, 1)).isEqualTo("v" + i);
                assertThat(columns.integer(i, 5)).isEqualTo(i);
            }
        }
    }

    private void decode(byte[] data) {
        events.clear();
        decoder.decode(data, 0, data.length, 0, 0, events);
    }
}
