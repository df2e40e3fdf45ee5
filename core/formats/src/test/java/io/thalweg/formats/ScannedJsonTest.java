package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.source.Source;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the decoder with its own full parser: any bytes give the same columns, outcome and message.
 *
 * <p>{@code -Dthalweg.json.documents=N} tries N mutated documents for each seed instead of 2,000.
 */
class ScannedJsonTest {
    private static final Projection PROJECTION = Views.projection(
            Source.Format.JSON,
            "event_type",
            "rider_id",
            "product_id",
            "lat",
            "lng",
            "ts",
            "app",
            "app.version",
            "app.foreground",
            "device.os",
            "location.accuracy_m",
            "session.sequence",
            "test_account",
            "a.b",
            "a.b.c",
            "d.\"x.y\"",
            "größe",
            "app.0",
            "zz.1",
            "zz.2.0");
    private static final List<String> EVENTS = events();
    private static final List<String> ODD = List.of(
            "{\"a\":{\"b\":1,\"z\":[1,2,{\"a\":7}]},\"b\":\"text\",\"ts\":1451671200000,\"lat\":-0.5e3}",
            "{\"a\":{\"b\":{\"c\":true}},\"a\":{\"b\":{\"c\":null}},\"d\":{\"x.y\":12345678901234567890}}",
            "{ \"a\" : { \"b\" : { \"c\" : 1.25 } , \"e\" : [ ] , \"f\" : { } } , \"lat\" : -0 , \"app\" : [ { } , [ ] , [ 1 ] ] }",
            " {\"skip\":{\"deep\":[[[\"x\\\"y\"]],{\"k\":-12}]},\"\\u0074s\":9223372036854775807,\"lat\":40.758896}\r\n",
            "{\"lat\":1E400,\"ts\":-9223372036854775808,\"event_type\":\"日本語 \\/ \\b\\n\",\"app\":[],\"d\":null}",
            "{\"größe\":\"ß😀\",\"rider_id\":\"\\ud83d\\ude00\\ud800\",\"zz\":[true,false,null,0.1e-7,\"\\u00e9\"]}",
            "{\"zz\":[1,[2],[3,4],{\"0\":5}],\"app\":[{\"version\":6}],\"a\":{\"zz\":[7,8]}}",
            "{}");
    private static final String[] TOKENS = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\t",
        "\r",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-",
        "1",
        "01",
        "-1",
        "1.",
        ".5",
        "0.5",
        "1e5",
        "1E+05",
        "1e",
        "1e400",
        "-1e-400",
        "123456789012345678",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "99999999999999999999999",
        "0.1234567890123456789",
        "NaN",
        "Infinity",
        "tru",
        "nulll",
        "\"\"",
        "\"lat\"",
        "\"a\"",
        "\"b\"",
        "\"c\"",
        "\"ts\"",
        "\"app\"",
        "\"\\u0061\"",
        "\"x\\\\\"",
        "\"\\\"\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"é\"",
        "\"日本\"",
        "\"😀\"",
        "\"größe\"",
        "\"a\":1",
        "\"app\":{\"version\":\"1\"}",
        ",\"lat\":1",
        ",\"zz\":[]",
        "/* c */",
        "\u0000",
        "\uFEFF",
        "\"\u0001\"",
        "\"\u007f\"",
        "\"12345678\"",
        "\"1234567\"",
        "\"123456789\""
    };
    private static final Pattern TOKEN = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|[-+.0-9a-zA-Z]+|.", Pattern.DOTALL);
    private static final long DOCUMENTS = Long.getLong("thalweg.json.documents", 2_000);

    private final EventColumns scanned = new EventColumns(PROJECTION);
    private final EventColumns parsed = new EventColumns(PROJECTION);
    private final JsonDecoder scanner = JsonDecoder.scanning(PROJECTION);
    private final EventDecoder parser = EventDecoder.createParsing(PROJECTION);
    private int undecodable;

    private static List<String> events() {
        return simulated("rider").subList(0, 200);
    }

    private static List<String> simulated(String who) {
        try {
            return Files.readAllLines(Checkout.file("examples/" + who + "-events.jsonl"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_mutatedDocuments_agreesWithTheFullParser(long seed) {
        Random random = new Random(seed);
        for (long i = 0; i < DOCUMENTS; i++) {
            String document = random.nextInt(3) > 0 ? pick(EVENTS, random) : pick(ODD, random);
            if (random.nextInt(4) > 0) {
                document = mutateTokens(document, random);
            }
            byte[] data = document.getBytes(StandardCharsets.UTF_8);
            for (int m = random.nextInt(3); m > 0; m--) {
                data = mutateBytes(data, random);
            }
            check(data);
        }
        // Otherwise, too few documents failed, or too few succeeded, for the test to be meaningful.
        assertThat((double) undecodable / DOCUMENTS).isBetween(0.2, 0.9);
        double scannedOnes = 1 - scanner.parsed() / (2.0 * DOCUMENTS); // each is read twice
        assertThat(scannedOnes).isBetween(0.05, 0.8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":{\"b\":1},\"a\":2}",
                "{\"a\":1,\"a\":{\"b\":3}}",
                "{\"app\":{},\"app\":[]}",
                "{\"app\":{\"version\":\"1\",\"version\":\"2\"}}",
                "{\"lat\":1,\"zz\":[{\"lat\":2}],\"lat\":3}",
                "{\"lat\":[1,{\"lat\":2}]}",
                "{\"zz\":{\"lat\":2}}",
                "{\"zz\":1}}",
                "{\"zz\":[1}",
                "{\"zz\":[1,]}",
                "{\"zz\":{\"y\":1,}}",
                "{,}",
                "{\"zz\":[,]}",
                "{\"zz\" 1}",
                "{\"zz\":}",
                "{\"zz\":1,\"yy\"}",
                "[{\"lat\":1}]",
                "{\"lat\":-}",
                "{\"lat\":1 2}",
                "{\"lat\":1\"zz\":2}",
                "{\"lat\":nulll}",
                "{\"lat\":1}\u0000",
                "{\"lat\":\"\u0000\"}",
                "{\"lat\":1}\n\n",
            })
    void decode_structure_agreesWithTheFullParserAlsoWhenRemembered(String document) {
        byte[] data = document.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 3; i++) {
            check(data);
            check("{\"zz\":1}".getBytes(StandardCharsets.UTF_8));
            check("{\"zz\":[1],\"lat\":1}".getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Every length of text and number, at every offset in a word, with every unusual character at every place in the text. */
    @Test
    void decode_textOfEveryLength_agreesWithTheFullParser() {
        for (int length = 0; length < 40; length++) {
            for (String unusual : List.of("", "\"", "\\", "\\n", "\\u00e9", "\u001f", "\u007f", "ß", "日", "😀")) {
                for (int at = 0; at <= length; at++) {
                    String text = "x".repeat(at) + unusual + "y".repeat(length - at);
                    check(("{\"zz\":\"" + text + "\",\"rider_id\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8));
                }
            }
            String digits = "1234567890".repeat(4).substring(0, length);
            for (String number : List.of(digits, "-" + digits, digits + ".5", "0." + digits, "1." + digits + "e3")) {
                check(("{\"lat\":" + number + ",\"zz\":" + number + "}").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /** Also checks that plain text is recognized as plain. */
    @Test
    void decode_everyByteAtEveryPlaceOfAWord_agreesWithTheFullParser() {
        for (int b = 0; b < 256; b++) {
            long parsedBefore = scanner.parsed();
            for (int at = 0; at <= 16; at++) {
                byte[] data = "{\"zz\":\"................\",\"rider_id\":\"................\"}"
                        .getBytes(StandardCharsets.UTF_8);
                data[7 + Math.min(at, 15)] = (byte) b;
                data[37 + Math.max(at - 1, 0)] = (byte) b;
                check(data);
            }
            boolean plain = b >= ' ' && b < 0x80 && b != '"' && b != '\\';
            assertThat(scanner.parsed() == parsedBefore).as("byte %d", b).isEqualTo(plain);
        }
    }

    @Test
    void decode_simulatedEvents_fullParserIsNotNeeded() {
        for (String who : List.of("rider", "driver", "rider")) {
            for (String event : simulated(who)) {
                check(event.getBytes(StandardCharsets.UTF_8));
            }
        }
        assertThat(scanner.parsed()).isZero();
    }

    @Test
    void decode_fieldsThatComeAndGo_fullParserIsNotNeeded() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder document = new StringBuilder("{ ");
            for (String member : List.of("\"lat\": -1.5", "\"ß\": \"ß\\n\"", "\"app\": {}", "\"zz\": [1, [], null]")) {
                document.append(random.nextBoolean() ? member + ", " : "");
            }
            check(document.append("\"ts\": 1}").toString().getBytes(StandardCharsets.UTF_8));
        }
        assertThat(scanner.parsed()).isZero();
    }

    @Test
    void decode_namesThatAreData_agreesWithTheFullParserAndForgets() {
        int documents = 8_000;
        for (int i = 0; i < DOCUMENTS; i++) {
            check(("{\"zz\":{\"name" + i + "\":" + i + "},\"lat\":" + i + "}").getBytes(StandardCharsets.UTF_8));
        }
        assertThat(scanner.parsed()).isBetween(1L, documents / 1_000L);
    }

    @Test
    void decode_moreFieldsThanBits_agreesWithTheFullParser() {
        String[] fields = new String[100];
        Arrays.setAll(fields, i -> "f" + i);
        Projection wide = Views.projection(Source.Format.JSON, fields);
        EventColumns columns = new EventColumns(wide);
        byte[] data = "{\"f0\":1,\"f99\":2,\"f0\":3}".getBytes(StandardCharsets.UTF_8);
        EventDecoder.create(wide).decode(data, 0, data.length, 0, 0, columns);
        assertThat(columns.integer(0, 0)).isEqualTo(3);
        assertThat(columns.integer(0, 99)).isEqualTo(2);
    }

    /** Checks a document among other bytes, and in place: followed by a zero and bytes that could continue it. */
    private void check(byte[] data) {
        byte[] others = new byte[data.length + 7];
        Arrays.fill(others, (byte) '}');
        System.arraycopy(data, 0, others, 3, data.length);
        check(others, 3, data);
        byte[] zero = Arrays.copyOf(data, 2 * data.length + 25);
        System.arraycopy(data, data.length / 2, zero, data.length + 1, data.length - data.length / 2);
        check(zero, 0, data);
        undecodable += parsed.decodeReason(0) == null ? 0 : 1;
    }

    private void check(byte[] among, int offset, byte[] data) {
        scanned.clear();
        parsed.clear();
        scanner.decode(among, offset, data.length, 0, 0, scanned);
        parser.decode(among, offset, data.length, 0, 0, parsed);
        if (!values(scanned).equals(values(parsed))) {
            assertThat(values(scanned))
                    .as("%s", new String(data, StandardCharsets.UTF_8))
                    .isEqualTo(values(parsed));
        }
    }

    private static List<Object> values(EventColumns events) {
        List<Object> values = new ArrayList<>();
        values.add(String.valueOf(events.decodeReason(0)));
        values.add(String.valueOf(events.decodeError(0)));
        for (int c = 0; c < PROJECTION.size(); c++) {
            FieldKind kind = events.kind(0, c);
            values.add(kind);
            values.add(events.length(0, c) == 0 ? "" : events.string(0, c));
            values.add(
                    switch (kind) {
                        case INTEGER -> events.integer(0, c);
                        case DOUBLE -> Double.doubleToRawLongBits(events.number(0, c));
                        case BOOL -> events.bool(0, c);
                        default -> 0;
                    });
        }
        return values;
    }

    private static String pick(List<String> texts, Random random) {
        return texts.get(random.nextInt(texts.size()));
    }

    private static String mutateTokens(String document, Random random) {
        List<String> tokens = new ArrayList<>();
        for (Matcher matcher = TOKEN.matcher(document); matcher.find(); ) {
            tokens.add(matcher.group());
        }
        for (int m = 1 + random.nextInt(3); m > 0 && !tokens.isEmpty(); m--) {
            int at = random.nextInt(tokens.size());
            int other = random.nextInt(tokens.size());
            int length = Math.min(1 + random.nextInt(4), tokens.size() - at);
            List<String> slice = List.copyOf(tokens.subList(at, at + length));
            switch (random.nextInt(6)) {
                case 0 -> tokens.subList(at, at + length).clear();
                case 1 -> tokens.addAll(other, slice);
                case 2 -> tokens.set(at, tokens.set(other, tokens.get(at)));
                case 3 -> tokens.add(at, TOKENS[random.nextInt(TOKENS.length)]);
                default -> tokens.set(at, TOKENS[random.nextInt(TOKENS.length)]);
            }
        }
        return String.join("", tokens);
    }

    private static byte[] mutateBytes(byte[] data, Random random) {
        if (data.length == 0) {
            return data;
        }
        int at = random.nextInt(data.length);
        int length = Math.min(data.length - at, 1 + random.nextInt(8));
        return switch (random.nextInt(5)) {
            case 0 -> splice(data, at, length, new byte[0]);
            case 1 -> splice(data, at, 0, Arrays.copyOfRange(data, at, at + length));
            case 2 -> splice(data, at, 1, new byte[] {(byte) random.nextInt(256)});
            case 3 -> splice(data, at, 1, new byte[] {(byte) (data[at] ^ 1 << random.nextInt(8))});
            default -> random.nextInt(4) == 0 ? Arrays.copyOf(data, at) : data;
        };
    }

    private static byte[] splice(byte[] data, int at, int removed, byte[] added) {
        ByteBuffer out = ByteBuffer.allocate(data.length - removed + added.length);
        out.put(data, 0, at).put(added).put(data, at + removed, data.length - at - removed);
        return out.array();
    }
}
