package io.thalweg.records.json;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damaged messages: the reader throws only {@link BadRecordException}, and refuses all messages that Jackson refuses.
 * {@code -Dthalweg.json.documents=N} tries N mutated messages for each seed instead of 1,000.
 *
 * <p><b>Accepted here, refused by Jackson</b>, see {@link #read_acceptedDespiteJackson_isListed}:
 *
 * <ul>
 *   <li>escaped surrogates without their other half in names: such a member is unknown;
 *   <li>names of more than 50,000 characters: only the size of the whole message is limited.
 * </ul>
 *
 * <p><b>Refused here, accepted by Jackson</b>, see {@link #read_refusedDespiteJackson_isListed}:
 *
 * <ul>
 *   <li>duplicate members, because one of the values would be lost;
 *   <li>more levels than {@code limits.depth}; Jackson has a limit of its own, 1,000;
 *   <li>a byte order mark, UTF-16 and UTF-32: RFC 8259 requires UTF-8;
 *   <li>skipped numbers of more than 1,000 digits: Jackson counts digits only when the value is requested.
 * </ul>
 */
class JsonFuzzTest {
    private static final int MUTATIONS = Integer.getInteger("thalweg.json.documents", 1_000);

    private static final String[] SPLICES = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud800",
        "\\u00",
        "null",
        "true",
        "fals",
        "-",
        "1",
        "0",
        ".",
        "e",
        "E+",
        "1e5",
        "99999999999999999999",
        "1e400",
        "\0",
        "\t",
        "\u007f",
        "é",
        "😀",
        "\uFEFF",
        "NaN",
        "//",
        "/*",
        "'",
        "\"a\":",
        ",\"a\":1",
        "{}",
        "[]",
        "[[[[[[[[[[",
        "{\"a\":{\"a\":",
        " ",
        "\n"
    };

    private static final JsonFactory JACKSON = new JsonFactory();
    private static final String ANY = "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"string\"},"
            + "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},"
            + "\"n\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}}}}";

    private final NullWriter ignored = new NullWriter();

    private static JsonReader reader(JsonSchema schema) {
        return schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
    }

    /** Returns the fault of a message, or null if it was read. */
    private @Nullable RecordFault read(JsonReader reader, byte[] message) {
        try {
            reader.read(message, 0, message.length, ignored);
            return null;
        } catch (BadRecordException e) {
            return e.fault();
        }
    }

    /** Returns whether Jackson accepts the message as one object; requests each value. */
    private static boolean isJson(byte[] message) {
        try (JsonParser parser = JACKSON.createParser(message)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return false;
            }
            int depth = 1;
            while (depth > 0) {
                JsonToken token = parser.nextToken();
                if (token == null) {
                    return false;
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                // Tokens are lazy: a value is checked only when it is requested.
                String unused = parser.getText();
            }
            return parser.nextToken() == null;
        } catch (JsonProcessingException | CharConversionException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void check(JsonReader reader, byte[] message) {
        RecordFault fault;
        try {
            fault = read(reader, message);
        } catch (RuntimeException | Error e) {
            throw new AssertionError("reading " + new String(message, UTF_8), e);
        }
        boolean isJson = isJson(message);
        if (!isJson && fault != RecordFault.UNDECODABLE && fault != RecordFault.EMPTY) {
            assertThat(new String(message, UTF_8))
                    .as("accepted despite Jackson")
                    .contains("\\u");
            assertThat(new String(message, UTF_8)).containsPattern("\\\\u[dD][89a-fA-F]..");
        }
    }

    private static byte[] mutated(byte[] message, byte[] other, Random random) {
        byte[] copy = message.clone();
        int at = random.nextInt(copy.length);
        return switch (random.nextInt(6)) {
            case 0 -> {
                copy[at] ^= (byte) (1 << random.nextInt(8));
                yield copy;
            }
            case 1 -> {
                copy[at] = (byte) random.nextInt(256);
                yield copy;
            }
            case 2 -> Arrays.copyOf(copy, at);
            case 3 -> spliced(copy, at, at + random.nextInt(copy.length - at + 1), new byte[0]);
            case 4 -> spliced(copy, at, at, SPLICES[random.nextInt(SPLICES.length)].getBytes(UTF_8));
            default -> {
                int from = random.nextInt(other.length);
                byte[] piece = Arrays.copyOfRange(other, from, from + random.nextInt(other.length - from + 1));
                yield spliced(copy, at, Math.min(copy.length, at + random.nextInt(8)), piece);
            }
        };
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] piece) {
        byte[] spliced = new byte[bytes.length - (to - from) + piece.length];
        System.arraycopy(bytes, 0, spliced, 0, from);
        System.arraycopy(piece, 0, spliced, from, piece.length);
        System.arraycopy(bytes, to, spliced, from + piece.length, bytes.length - to);
        return spliced;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_mutatedMessage_refusesWhatJacksonRefuses(long seed) {
        Random random = new Random(seed);
        RandomType root = RandomType.root(random);
        RandomDocument documents = new RandomDocument(random, 0);
        JsonReader reader = reader(JsonSchema.parse(root.schema(random), "random.json"));
        byte[] other = documents.bytes(root);
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] message = documents.bytes(root);
            for (int j = random.nextInt(3); j >= 0 && message.length > 0; j--) {
                message = mutated(message, other, random);
            }
            check(reader, message);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_cutMessage_isRefusedAtEveryByte(long seed) {
        Random random = new Random(seed);
        RandomType root = RandomType.root(random);
        JsonReader reader = reader(JsonSchema.parse(root.schema(random), "random.json"));
        byte[] message = new RandomDocument(random, 0).document(root).trim().getBytes(UTF_8);
        assertThat(read(reader, message)).isNull();
        for (int length = 1; length < message.length; length++) {
            // Bytes after the end must not be read, because the original message continues there.
            int to = length;
            BadRecordException bad = null;
            try {
                reader.read(message, 0, to, ignored);
            } catch (BadRecordException e) {
                bad = e;
            }
            assertThat(bad)
                    .as("cut at %d of %s", to, new String(message, UTF_8))
                    .isNotNull();
            assertThat(read(reader, Arrays.copyOf(message, to))).isEqualTo(RecordFault.UNDECODABLE);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"\\ud800\":1}",
                "{\"x\":{\"\\udc00\":1}}",
                "{\"LONG\":1}",
            })
    void read_acceptedDespiteJackson_isListed(String text) {
        byte[] message = text.replace("LONG", "n".repeat(50_001)).getBytes(UTF_8);
        assertThat(isJson(message)).isFalse();
        assertThat(read(reader(JsonSchema.parse(ANY, "any.json")), message)).isNull();
    }

    @Test
    void read_refusedDespiteJackson_isListed() {
        JsonReader reader = reader(JsonSchema.parse(ANY, "any.json"));
        String deep = "{\"x\":" + "[".repeat(100) + "]".repeat(100) + "}";
        List<byte[]> messages = List.of(
                "{\"v\":\"a\",\"v\":\"a\"}".getBytes(UTF_8),
                deep.getBytes(UTF_8),
                "\uFEFF{}".getBytes(UTF_8),
                "{\"v\":\"a\"}".getBytes(UTF_16LE));
        for (byte[] message : messages) {
            assertThat(isJson(message)).as(new String(message, UTF_8)).isTrue();
            assertThat(read(reader, message)).as(new String(message, UTF_8)).isEqualTo(RecordFault.UNDECODABLE);
        }
    }

    /** Overlong UTF-8, and a code point beyond U+10FFFF. */
    @ParameterizedTest
    @ValueSource(strings = {"C080", "F4908080"})
    void read_noUtf8_isRefused(String hex) {
        byte[] text = HexFormat.of().parseHex(hex);
        byte[] message = ("{\"v\":\"" + "?".repeat(text.length) + "\"}").getBytes(UTF_8);
        System.arraycopy(text, 0, message, 6, text.length);
        assertThat(isJson(message)).isFalse();
        assertThat(read(reader(JsonSchema.parse(ANY, "any.json")), message)).isEqualTo(RecordFault.UNDECODABLE);
    }

    @Test
    void read_tenThousandLevels_isRefusedWithoutMemory() {
        JsonReader reader = reader(JsonSchema.parse(ANY, "any.json"));
        for (String begin : List.of("{\"x\":", "{\"n\":", "{\"m\":{\"a\":", "")) {
            for (String level : List.of("[", "{\"a\":", "[[1],")) {
                byte[] message = (begin + level.repeat(10_000)).getBytes(UTF_8);
                long before = allocated();
                assertThat(read(reader, message)).isEqualTo(RecordFault.UNDECODABLE);
                assertThat(allocated() - before).isLessThan(100_000);
            }
        }
    }

    @Test
    void skip_manyLevelsAllowed_isIterative() {
        JsonSchema schema = JsonSchema.parse(ANY, "any.json");
        Limits limits = new Limits(1 << 20, 1 << 20, 1, 1_000_000);
        JsonReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), limits);
        String text = "{\"x\":" + "[{\"a\":".repeat(200_000) + "1" + "}]".repeat(200_000) + "}";
        assertThat(read(reader, text.getBytes(UTF_8))).isNull();
    }

    @Test
    void read_goodMessages_allocateNothing() {
        RandomType root = RandomType.root(new Random(7));
        JsonSchema schema = JsonSchema.parse(root.schema(new Random(7)), "random.json");
        JsonReader reader = reader(schema);
        RandomDocument documents = new RandomDocument(new Random(8), 0);
        byte[][] messages = new byte[200][];
        Arrays.setAll(messages, i -> documents.bytes(root));
        for (int i = 0; i < 5; i++) {
            readAll(reader, messages);
        }
        long before = allocated();
        for (int i = 0; i < 50; i++) {
            readAll(reader, messages);
        }
        // The JDK parses numbers midway between two doubles, which takes a few hundred bytes each.
        assertThat((allocated() - before) / (50.0 * messages.length)).isLessThan(2);
    }

    private void readAll(JsonReader reader, byte[][] messages) {
        for (byte[] message : messages) {
            reader.read(message, 0, message.length, ignored);
        }
    }

    @Test
    void read_hugeStringsAndMaps_allocateWithinTheMessage() {
        JsonReader reader = reader(JsonSchema.parse(ANY, "any.json"));
        StringBuilder keys = new StringBuilder("{\"m\":{\"\":0");
        for (int i = 0; keys.length() < 1 << 20; i++) {
            keys.append(",\"").append(i).append("\":1");
        }
        for (String text : List.of("{\"v\":\"" + "\\u0041".repeat(170_000) + "\"}", keys + "}}")) {
            byte[] message = text.getBytes(UTF_8);
            long before = allocated();
            assertThat(read(reader, message)).isNull();
            assertThat(allocated() - before).isLessThan(10L * message.length);
        }
    }

    private static long allocated() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
