package io.thalweg.cli.run;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever files of {@code thalweg ingest} contain, each bad message has its letter, its good neighbours are kept, the account adds up. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestBadInputIT {
    private static final int LEVELS = 10_000;
    private static final int LARGEST = 100_000;
    private static final String LIMITS = ", limits: {message: " + LARGEST + "B, inflated: 1MiB}";

    @TempDir
    Path folder;

    private IngestFolder ingest;

    /**
     * A record of input.
     *
     * @param stage of its letter
     * @param reason of its letter; empty = it becomes a row
     */
    private record Case(String name, byte[] record, String stage, String reason) {
        static Case bad(String name, byte[] record, String reason) {
            return new Case(name, record, "decode", reason);
        }

        static Case lost(String name, byte[] record, String reason) {
            return new Case(name, record, "envelope", reason);
        }

        String outcome() {
            return name + ": " + stage + " " + reason + " #0";
        }

        static Case good(String name, byte[] record) {
            return new Case(name, record, "", "");
        }
    }

    @BeforeEach
    void prepare() throws IOException {
        ingest = IngestFolder.in(folder);
    }

    /** Runs over a file in which each case has a good neighbour on both sides, and checks all output. */
    private void assertOutcomes(List<Case> cases, Encoder good, boolean lines, int maxKept) throws IOException {
        List<byte[]> records = new ArrayList<>();
        for (Case one : cases) {
            records.add(good.encode(records.size()));
            records.add(one.record());
        }
        records.add(good.encode(records.size()));
        Files.write(ingest.file("rides.in"), lines ? joined(records) : Rides.framed(records));

        Map<String, Long> counts = ingest.succeed();

        List<Case> bad = cases.stream().filter(one -> !one.reason().isEmpty()).toList();
        List<JsonNode> letters = ingest.letters();
        List<Long> offsets = offsets(records, lines);
        assertThat(named(letters, cases, offsets))
                .isEqualTo(bad.stream().map(Case::outcome).toList());
        for (int i = 0; i < bad.size(); i++) {
            assertThat(letters.get(i).get("raw_bytes").asInt())
                    .as(bad.get(i).name())
                    .isEqualTo(bad.get(i).record().length);
            assertThat(letters.get(i).get("detail").asText())
                    .as(bad.get(i).name())
                    .isNotBlank()
                    .doesNotContain("Exception");
            assertThat(letters.get(i).get("truncated").asBoolean())
                    .as(bad.get(i).name())
                    .isEqualTo(bad.get(i).record().length > maxKept);
        }
        long kept = (long) records.size() - bad.size();
        assertThat(counts)
                .containsEntry("events", (long) records.size())
                .containsEntry("bad", (long) bad.size())
                .containsEntry("written", kept);
        assertThat(ParquetFolder.longs(ingest.table(), "id"))
                .containsAll(LongStream.rangeClosed(0, cases.size())
                        .map(i -> 2 * i)
                        .boxed()
                        .toList());
    }

    /** Returns the outcomes with the names of the cases at their offsets; good neighbours have the even offsets. */
    private static List<String> named(List<JsonNode> letters, List<Case> cases, List<Long> offsets) {
        return letters.stream()
                .map(letter -> {
                    int at = offsets.indexOf(letter.get("offset").asLong());
                    String name =
                            at % 2 == 0 ? "a good neighbour" : cases.get(at / 2).name();
                    return name + ": " + letter.get("stage").asText() + " "
                            + letter.get("reason").asText() + " #"
                            + letter.get("index").asLong();
                })
                .toList();
    }

    private static String outcome(JsonNode letter) {
        return letter.get("stage").asText() + " " + letter.get("reason").asText() + " at "
                + letter.get("offset").asLong() + " #" + letter.get("index").asLong();
    }

    private static byte[] joined(List<byte[]> records) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (byte[] record : records) {
            lines.writeBytes(record);
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    /** Lines are counted from 1, framed records by bytes. */
    private static List<Long> offsets(List<byte[]> records, boolean lines) {
        List<Long> offsets = new ArrayList<>();
        long next = lines ? 1 : 0;
        for (byte[] record : records) {
            offsets.add(next);
            next += lines ? 1 : 4 + record.length;
        }
        return offsets;
    }

    private static byte[] bytes(int... bytes) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = (byte) bytes[i];
        }
        return result;
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] repeated(int times, int... bytes) {
        byte[][] parts = new byte[times][];
        Arrays.fill(parts, bytes(bytes));
        return concat(parts);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** Replaces the bytes of a text by the same number of bytes that are not UTF-8. */
    private static byte[] notUtf8(byte[] message, String text) {
        String all = new String(message, ISO_8859_1);
        assertThat(all).contains(text);
        return all.replace(text, "\u00FF".repeat(text.length())).getBytes(ISO_8859_1);
    }

    private static byte[] withFirst(byte[] message, String text, int before, int... replacement) {
        int at = new String(message, ISO_8859_1).indexOf(text) - before;
        byte[] changed = message.clone();
        for (int i = 0; i < replacement.length; i++) {
            changed[at + i] = (byte) replacement[i];
        }
        return changed;
    }

    /** Returns the cases that are bad in the same way in each binary format. */
    private static List<Case> ofBinary(byte[] ride, boolean cutAnywhere, String noBytes, String randomReason) {
        List<Case> cases = new ArrayList<>();
        for (int cut = 1; cut < ride.length; cut++) {
            if (cutAnywhere || cut == ride.length - 1) {
                cases.add(Case.bad("cut at " + cut, Arrays.copyOf(ride, cut), "undecodable"));
            }
        }
        cases.add(Case.bad("no bytes", bytes(), noBytes));
        cases.add(Case.bad("a byte behind its end", Arrays.copyOf(ride, ride.length + 1), "undecodable"));
        cases.add(Case.bad("random bytes", random(200), randomReason));
        cases.add(Case.bad("another format", "{\"id\": 1, \"status\": \"DONE\"}".getBytes(UTF_8), "undecodable"));
        cases.add(Case.bad("not UTF-8", notUtf8(ride, "REQUEST"), "invalid_text"));
        cases.add(Case.lost("too large", new byte[LARGEST + 1], "too_large"));
        cases.add(Case.lost("far too large", new byte[3 * LARGEST], "too_large"));
        return cases;
    }

    private static List<Case> ofThriftBinary(Encoder encoder, Encoder compact) {
        byte[] ride = encoder.encode(7);
        List<Case> cases = ofBinary(ride, true, "empty", "undecodable");
        cases.add(Case.bad("the other protocol", compact.encode(7), "undecodable"));
        byte[] idAndStatus = concat(bytes(10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9), bytes(11, 0, 2, 0, 0, 0, 1, 'S'));
        cases.add(Case.good("only what is required", concat(idAndStatus, bytes(0))));
        cases.add(Case.bad("status is missing", bytes(10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0), "missing_field"));
        cases.add(Case.bad("id is text", concat(bytes(11, 0, 1, 0, 0, 0, 1, '7'), bytes(0)), "wrong_type"));
        cases.add(Case.bad("fare is a bool", concat(idAndStatus, bytes(2, 0, 3, 1, 0)), "wrong_type"));
        cases.add(Case.good("a field of a newer schema", concat(idAndStatus, bytes(8, 0, 99, 0, 0, 0, 1, 0))));
        cases.add(Case.bad(
                "a length of 2^31-1",
                concat(bytes(10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9), bytes(11, 0, 2, 0x7F, 0xFF, 0xFF, 0xFF, 'S', 0)),
                "undecodable"));
        cases.add(Case.bad(
                "a negative length",
                concat(bytes(10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9), bytes(11, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 'S', 0)),
                "undecodable"));
        cases.add(Case.bad(
                "a list of 2*10^9",
                concat(idAndStatus, bytes(15, 0, 6, 10, 0x77, 0x35, 0x94, 0, 0, 0)),
                "undecodable"));
        cases.add(Case.bad(
                "10,000 levels in an unknown field",
                concat(idAndStatus, repeated(LEVELS, 12, 0, 99), new byte[LEVELS + 1]),
                "undecodable"));
        return cases;
    }

    private static List<Case> ofThriftCompact(Encoder encoder, Encoder binary) {
        byte[] ride = encoder.encode(7);
        List<Case> cases = ofBinary(ride, true, "empty", "undecodable");
        // Their first bytes are the header of a field of another type.
        cases.replaceAll(one -> one.name().equals("random bytes") || one.name().equals("another format")
                ? Case.bad(one.name(), one.record(), "wrong_type")
                : one);
        cases.add(Case.bad("the other protocol", binary.encode(7), "undecodable"));
        byte[] idAndStatus = bytes(0x16, 18, 0x18, 1, 'S');
        cases.add(Case.good("only what is required", concat(idAndStatus, bytes(0))));
        cases.add(Case.bad("status is missing", bytes(0x16, 18, 0), "missing_field"));
        cases.add(Case.bad("id is text", bytes(0x18, 1, '7', 0), "wrong_type"));
        cases.add(Case.bad("fare is a bool", concat(idAndStatus, bytes(0x11, 0)), "wrong_type"));
        cases.add(Case.bad(
                "a length of 2^31-1", bytes(0x16, 18, 0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 'S', 0), "undecodable"));
        cases.add(Case.bad(
                "a list of 2*10^9",
                concat(idAndStatus, bytes(0x49, 0xF6, 0x80, 0xA8, 0xD6, 0xB9, 0x07, 0, 0)),
                "undecodable"));
        cases.add(Case.bad(
                "a number of eleven bytes", concat(bytes(0x16), repeated(11, 0xFF), bytes(1, 0)), "undecodable"));
        cases.add(Case.bad(
                "10,000 levels in an unknown field",
                concat(idAndStatus, repeated(LEVELS, 0xAC), new byte[LEVELS + 1]),
                "undecodable"));
        return cases;
    }

    private static List<Case> ofAvro(Encoder encoder) {
        byte[] ride = encoder.encode(7);
        List<Case> cases = ofBinary(ride, true, "empty", "invalid_text");
        byte[] idAndStatus = bytes(18, 2, 'S');
        byte[] rest = bytes(0, 0, 0, 0, 0); // nulls
        cases.add(Case.good("only what is required", concat(idAndStatus, rest)));
        cases.add(Case.bad("a union has no such branch", concat(idAndStatus, bytes(4, 0, 0, 0, 0)), "undecodable"));
        cases.add(Case.bad("a negative branch", concat(idAndStatus, bytes(1, 0, 0, 0, 0)), "undecodable"));
        cases.add(Case.bad(
                "a length of 2^31-1",
                concat(bytes(18, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F), bytes('S'), rest),
                "undecodable"));
        cases.add(Case.bad("a negative length", concat(bytes(18, 1), rest), "undecodable"));
        cases.add(Case.bad(
                "a list of 2*10^9",
                concat(idAndStatus, bytes(0, 0, 0, 2, 0x80, 0xD0, 0xAC, 0xF3, 0x0E, 0, 0)),
                "undecodable"));
        cases.add(Case.bad("a number of eleven bytes", repeated(11, 0xFF), "undecodable"));
        return cases;
    }

    private static List<Case> ofProtobuf(Encoder encoder) {
        byte[] ride = encoder.encode(7);
        List<Case> cases = ofBinary(ride, false, "", "undecodable");
        cases.add(Case.good("a field of a newer schema", bytes(0x08, 9, 0x12, 1, 'S', 0x98, 0x06, 1)));
        cases.add(Case.bad("the id is text on the wire", bytes(0x0A, 1, '7'), "undecodable"));
        cases.add(
                Case.bad("a length of 2^31-1", bytes(0x08, 9, 0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x07, 'S'), "undecodable"));
        cases.add(Case.bad(
                "a negative length",
                bytes(0x08, 9, 0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 'S'),
                "undecodable"));
        cases.add(Case.bad("field 0", bytes(0x08, 9, 0x00, 1), "undecodable"));
        cases.add(Case.bad("a wire type that is not there", bytes(0x08, 9, 0x0F), "undecodable"));
        cases.add(Case.bad(
                "10,000 levels in an unknown group",
                concat(bytes(0x08, 9), repeated(LEVELS, 0x7B), repeated(LEVELS, 0x7C)),
                "undecodable"));
        return cases;
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(value = Format.class, names = "JSON", mode = EnumSource.Mode.EXCLUDE)
    void ingest_badMessages_haveALetterEach(Format format) throws IOException {
        ingest.define(format.source + LIMITS, "");
        Encoder encoder = Rides.encoder(format, folder);
        List<Case> cases = switch (format) {
            case THRIFT_BINARY -> ofThriftBinary(encoder, Rides.encoder(Format.THRIFT_COMPACT, folder));
            case THRIFT_COMPACT -> ofThriftCompact(encoder, Rides.encoder(Format.THRIFT_BINARY, folder));
            case AVRO -> ofAvro(encoder);
            case PROTOBUF -> ofProtobuf(encoder);
            case JSON -> List.of();
        };

        assertOutcomes(cases, encoder, false, 256 * 1024);
    }

    private static Case json(String name, String text, String reason) {
        return new Case(name, text.getBytes(UTF_8), reason.isEmpty() ? "" : "decode", reason);
    }

    @Tag("test")
    @Test
    void ingest_badLinesOfJson_haveALetterEach() throws IOException {
        ingest.define(Format.JSON.source + ", framing: lines" + LIMITS, "");
        Encoder encoder = Rides.encoder(Format.JSON, folder);
        byte[] ride = encoder.encode(7);
        String start = "{\"id\": 9, \"status\": \"S\"";
        List<Case> cases = new ArrayList<>();
        for (int cut = 1; cut < ride.length; cut += 7) {
            cases.add(Case.bad("cut at " + cut, Arrays.copyOf(ride, cut), "undecodable"));
        }
        cases.addAll(List.of(
                json("only what is required", start + "}", ""),
                json("an unknown member", start + ", \"more\": {\"x\": [1]}}", ""),
                json("a lone surrogate", "{\"id\": 9, \"status\": \"\\ud800\"}", "invalid_text"),
                json("a key twice", start + ", \"id\": 9}", "undecodable"),
                json("more behind its end", start + "} {}", "undecodable"),
                json("NaN", start + ", \"fare\": NaN}", "undecodable"),
                json("a list", "[1]", "undecodable"),
                json("null", "null", "undecodable"),
                json("a number", "7", "undecodable"),
                json("an integer beyond int64", "{\"id\": 9223372036854775808, \"status\": \"S\"}", "wrong_type"),
                json("1e400", start + ", \"fare\": 1e400}", "wrong_type"),
                json("text for a number", start + ", \"fare\": \"1\"}", "wrong_type"),
                json("a number for text", "{\"id\": 9, \"status\": 1}", "wrong_type"),
                json("1,000 digits beyond a double", start + ", \"fare\": " + "1".repeat(1_000) + "}", "wrong_type"),
                json("1,000 digits within a double", start + ", \"fare\": 0." + "1".repeat(999) + "}", ""),
                json("1,001 digits", start + ", \"fare\": 0." + "1".repeat(1_000) + "}", "undecodable"),
                json(
                        "an age beyond int32",
                        start + ", \"payload\": {\"rider\": {\"id\": \"r\", \"age\": 3000000000}}}",
                        "out_of_range"),
                json("status is missing", "{\"id\": 9}", "missing_field"),
                json("status is null", "{\"id\": 9, \"status\": null}", "missing_field"),
                json(
                        "10,000 levels",
                        start + ", \"x\": " + "[".repeat(LEVELS) + "]".repeat(LEVELS) + "}",
                        "undecodable"),
                Case.bad("not UTF-8", notUtf8(ride, "REQUEST"), "undecodable"),
                Case.bad(
                        "random bytes",
                        new String(random(200), ISO_8859_1)
                                .replaceAll("[\r\n]", "x")
                                .getBytes(ISO_8859_1),
                        "undecodable"),
                Case.lost("too large", new byte[LARGEST + 1], "too_large"),
                Case.lost("far too large", new byte[3 * LARGEST], "too_large")));

        assertOutcomes(cases, encoder, true, LARGEST);
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource({"gzip", "zlib", "zstd", "snappy", "lz4"})
    void ingest_badEnvelopes_haveALetterEach(String compression) throws IOException {
        ingest.define(
                Format.THRIFT_BINARY.source + ", envelope: {compression: %s}".formatted(compression) + LIMITS, "");
        Encoder encoder = Rides.encoder(Format.THRIFT_BINARY, folder);
        byte[] ride = Rides.compress(compression, encoder.encode(7));
        List<Case> cases = new ArrayList<>(List.of(
                Case.lost("no bytes", bytes(), "empty"),
                Case.lost("not compressed", encoder.encode(7), "undecodable"),
                Case.lost("random bytes", random(200), "undecodable"),
                Case.lost(
                        "another compression",
                        Rides.compress(compression.equals("gzip") ? "zlib" : "gzip", encoder.encode(7)),
                        "undecodable"),
                Case.lost("more behind its end", concat(ride, bytes(1, 2, 3)), "undecodable"),
                Case.bad("nothing inside", Rides.compress(compression, bytes()), "empty"),
                Case.bad("a bad message inside", Rides.compress(compression, random(200)), "undecodable"),
                Case.lost("a bomb", Rides.compress(compression, new byte[1_500_000]), "inflated_too_large"),
                Case.lost("too large before it is opened", new byte[LARGEST + 1], "too_large"),
                Case.bad(
                        "too large inside",
                        Rides.compress(compression, random(LARGEST + 1)).length > LARGEST
                                ? Rides.compress(compression, halfRandom(LARGEST + 1))
                                : Rides.compress(compression, random(LARGEST + 1)),
                        "too_large")));
        for (int cut = 1; cut < ride.length; cut++) {
            cases.add(Case.lost("cut at " + cut, Arrays.copyOf(ride, cut), "undecodable"));
        }

        List<byte[]> records = new ArrayList<>();
        for (Case one : cases) {
            records.add(Rides.compress(compression, encoder.encode(records.size())));
            records.add(one.record());
        }
        Files.write(ingest.file("rides.in"), Rides.framed(records));
        Map<String, Long> counts = ingest.succeed();

        assertThat(named(ingest.letters(), cases, offsets(records, false)))
                .isEqualTo(cases.stream().map(Case::outcome).toList());
        assertThat(counts).containsEntry("bad", (long) cases.size()).containsEntry("written", (long) cases.size());
    }

    /** Compresses to about half. */
    private static byte[] halfRandom(int length) {
        byte[] bytes = random(length);
        Arrays.fill(bytes, 0, length / 2, (byte) 0);
        return bytes;
    }

    /** Five hundred messages; the 300th is as given. */
    private static List<byte[]> batch(Encoder encoder, byte[] broken) {
        List<byte[]> batch = new ArrayList<>(
                LongStream.range(0, 500).mapToObj(encoder::encode).toList());
        batch.set(299, broken);
        return batch;
    }

    @Tag("test")
    @Test
    void ingest_brokenMessageOfABatch_onlyThatOneIsBad() throws IOException {
        ingest.define(Format.AVRO.source + ", envelope: {compression: zstd, messages: length_prefixed}", "");
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        byte[] batch = Rides.framed(batch(encoder, random(100)));
        Files.write(ingest.file("rides.in"), Rides.framed(List.of(Rides.compress("zstd", batch))));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts)
                .containsEntry("records", 1L)
                .containsEntry("events", 500L)
                .containsEntry("written", 499L);
        assertThat(ingest.letters().stream().map(IngestBadInputIT::outcome))
                .containsExactly("decode undecodable at 0 #299");
    }

    /** These messages overflow the stack of Avro's own reader. */
    @Tag("test")
    @Test
    void ingest_recursiveAvro_isUndecodableBeyondTheDepth() throws IOException {
        Files.writeString(ingest.file("node.avsc"), """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "id", "type": "long"}, {"name": "next", "type": ["null", "Node"]}]}
                """);
        ingest.define("format: avro, schema: {file: node.avsc}", "fields: [id]");
        byte[] deepest = concat(repeated(62, 2, 2), bytes(2, 0));
        byte[] tooDeep = concat(repeated(64, 2, 2), bytes(2, 0));
        byte[] farTooDeep = concat(repeated(LEVELS, 2, 2), bytes(2, 0));
        Files.write(ingest.file("rides.in"), Rides.framed(List.of(deepest, tooDeep, farTooDeep, deepest)));

        assertThat(ingest.succeed()).containsEntry("written", 2L);
        assertThat(ingest.letters().stream().map(letter -> letter.get("reason").asText()))
                .containsExactly("undecodable", "undecodable");
    }

    @Tag("test")
    @Test
    void ingest_valuesBeyondTheirColumns_areOutOfRange() throws IOException {
        Files.writeString(ingest.file("fare.avsc"), """
                {"type": "record", "name": "Fare", "fields": [
                  {"name": "fare", "type": {"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 1}},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
                """);
        ingest.define("format: avro, schema: {file: fare.avsc}", "");
        byte[] largest = bytes(4, 0x03, 0xE7, 2); // 99.9
        byte[] tooLarge = bytes(4, 0x03, 0xE8, 2); // 100.0
        byte[] tooLate = concat(bytes(2, 0x01), repeated(9, 0xFE), bytes(0x01));
        Files.write(ingest.file("rides.in"), Rides.framed(List.of(largest, tooLarge, tooLate)));

        assertThat(ingest.succeed()).containsEntry("written", 1L);
        assertThat(ingest.letters().stream().map(letter -> letter.get("reason").asText()))
                .containsExactly("out_of_range", "out_of_range");
    }

    @Tag("test")
    @Test
    void ingest_functionThatFails_isALetterAndTheOthersAreWritten() throws IOException {
        defineMisbehaving(
                "DONE",
                "THROWS",
                "RECURSES",
                "LACKS_A_CLASS",
                "DOES_NOT_ANSWER",
                "REJECTS",
                "EMITS_AND_THROWS",
                "KILLS_ITS_THREAD",
                "IS_INTERRUPTED",
                "INTERRUPTS_ITS_THREAD",
                "DONE");

        assertThat(ingest.succeed()).containsEntry("written", 3L).containsEntry("bad", 8L);
        assertThat(outcomes())
                .containsExactly(
                        "transform failed",
                        "transform failed",
                        "transform failed",
                        "transform failed",
                        "transform rejected",
                        "transform failed",
                        "transform failed",
                        "transform failed");
    }

    /** Writes one ride per status, which selects what the function does. */
    private void defineMisbehaving(String... statuses) throws IOException {
        ingest.define(Format.JSON.source + ", framing: lines", ingest.misbehaving("1s"));
        Files.write(
                ingest.file("rides.in"),
                Arrays.stream(statuses)
                        .map(status -> "{\"id\": 1, \"status\": \"%s\"}".formatted(status))
                        .toList());
    }

    @Tag("faults")
    @Test
    void ingest_functionHangs_exits1AndNamesTheRecordAndTheSameCommandGoesOn() throws IOException {
        defineMisbehaving("DONE", "DONE", "HANGS_ONCE", "DONE");

        CommandRun run = ingest.run();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.failures()).containsExactly(hungAt(3));
        assertThat(ingest.succeed()).containsEntry("events", 4L).containsEntry("written", 4L);
        assertThat(ingest.letters()).isEmpty();
    }

    private String hungAt(int line) {
        return "thalweg: rides: function io.thalweg.cli.run.Misbehaving has not returned within 1s (transform.timeout) for message 0"
                + " of the record at " + line + " of " + ingest.file("rides.in")
                + "; give the calls in which it waits a timeout of their own, or exclude such messages with where";
    }

    @Tag("faults")
    @Test
    void ingest_functionHangsAndIgnoresInterrupts_exits1AndNamesTheRecord() throws IOException {
        defineMisbehaving("DONE", "SPINS");
        try {
            CommandRun run = ingest.run();

            assertThat(run.exit()).isEqualTo(1);
            assertThat(run.failures()).containsExactly(hungAt(2));
        } finally {
            Files.createFile(ingest.file("once")); // its thread ends
        }
    }

    /** Objects of an Avro container have no frames, but its blocks have: a bad object hides the rest of its block only. */
    @Tag("test")
    @Test
    void ingest_containersAsRecords_damageIsALetterThatIsNotReplayable() throws IOException {
        ingest.define(Format.AVRO.source + ", envelope: {compression: lz4, messages: avro_container}", "");
        Rides.writeContainer(ingest.file("a.avro"), "null", 0, 1_000);
        byte[] container = Files.readAllBytes(ingest.file("a.avro"));
        Files.write(
                ingest.file("rides.in"),
                Rides.framed(Stream.of(
                                container,
                                withFirst(container, "rid\u00C3\u00A9r-62", 1, 1),
                                Arrays.copyOf(container, secondBlock(container) + 100),
                                "{}".getBytes(UTF_8))
                        .map(record -> Rides.compress("lz4", record))
                        .toList()));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts).containsEntry("records", 4L).containsEntry("bad", 3L);
        assertThat(ingest.letters().stream()
                        .map(letter -> letter.get("stage").asText() + " "
                                + letter.get("reason").asText() + " " + letter.has("replayable")))
                .containsExactly("decode undecodable true", "envelope undecodable true", "envelope undecodable false");
        assertThat(ParquetFolder.longs(ingest.table(), "id"))
                .as("of the first whole, of the second all behind its first block, of the third its first block")
                .contains(2L, 999L)
                .hasSize(Math.toIntExact(counts.getOrDefault("written", 0L)))
                .hasSizeBetween(2_000, 2_999);
    }

    /** The end of each struct in a list is known, so that only damage to their structure hides those after it. */
    @Tag("test")
    @ParameterizedTest
    @EnumSource(
            value = Format.class,
            names = {"THRIFT_BINARY", "THRIFT_COMPACT"})
    void ingest_brokenStructOfAList_onlyThatOneOrTheRestIsBad(Format format) throws IOException {
        ingest.define(format.source + ", envelope: {messages: thrift_list}", "");
        Encoder encoder = Rides.encoder(format, folder);
        byte[] wrong = format == Format.THRIFT_BINARY ? bytes(11, 0, 1, 0, 0, 0, 1, '7', 0) : bytes(0x18, 1, '7', 0);
        byte[] broken = format == Format.THRIFT_BINARY ? bytes(77, 0, 1) : bytes(0x1F);
        Files.write(
                ingest.file("rides.in"),
                Rides.framed(List.of(
                        list(format, batch(encoder, wrong)), list(format, batch(encoder, broken)), bytes(9, 9))));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts)
                .containsEntry("records", 3L)
                .containsEntry("events", 801L)
                .containsEntry("written", 798L);
        assertThat(ingest.letters().stream()
                        .map(letter -> letter.get("stage").asText() + " "
                                + letter.get("reason").asText() + " #"
                                + letter.get("index").asLong()))
                .containsExactly("decode wrong_type #299", "envelope undecodable #299", "envelope undecodable #0");
    }

    private static byte[] list(Format format, List<byte[]> structs) {
        byte[] head = format == Format.THRIFT_BINARY
                ? ByteBuffer.allocate(5).put((byte) 12).putInt(structs.size()).array()
                : bytes(0xFC, (structs.size() & 0x7F) | 0x80, structs.size() >>> 7);
        return concat(head, concat(structs.toArray(byte[][]::new)));
    }

    @Tag("test")
    @Test
    void ingest_brokenFrameOfABatch_theRestIsOneLetter() throws IOException {
        ingest.define(Format.AVRO.source + ", envelope: {compression: gzip, messages: length_prefixed}", "");
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        byte[] batch = Rides.framed(batch(encoder, encoder.encode(299)));
        int at = Rides.framed(LongStream.range(0, 299).mapToObj(encoder::encode).toList()).length;
        ByteBuffer.wrap(batch).putInt(at, Integer.MAX_VALUE);
        byte[] whole = Rides.framed(List.of(encoder.encode(500)));
        Files.write(
                ingest.file("rides.in"),
                Rides.framed(List.of(Rides.compress("gzip", batch), Rides.compress("gzip", whole))));

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts)
                .containsEntry("records", 2L)
                .containsEntry("events", 301L)
                .containsEntry("written", 300L);
        assertThat(ingest.letters().stream().map(IngestBadInputIT::outcome))
                .containsExactly("envelope undecodable at 0 #299");
        assertThat(ingest.letters().get(0).get("raw_bytes").asInt()).isEqualTo(batch.length - at);
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource({"2147483647", "-1", "-2147483648", "100000"})
    void ingest_damagedFrameOfAFile_theRestIsOneLetter(int length) throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "");
        Encoder encoder = Rides.encoder(Format.THRIFT_BINARY, folder);
        byte[] first = Rides.framed(List.of(encoder.encode(0), encoder.encode(1)));
        byte[] rest = concat(ByteBuffer.allocate(4).putInt(length).array(), encoder.encode(2));
        Files.write(ingest.file("a.in"), concat(first, rest));
        Files.write(ingest.file("b.in"), concat(Rides.framed(List.of(encoder.encode(3))), bytes(0, 0)));
        Files.write(ingest.file("c.in"), bytes());

        Map<String, Long> counts = ingest.succeed();

        assertThat(counts).containsEntry("events", 5L).containsEntry("bad", 2L).containsEntry("written", 3L);
        assertThat(ingest.letters().stream().map(IngestBadInputIT::outcome))
                .containsExactly(
                        "envelope undecodable at " + first.length + " #0",
                        "envelope undecodable at " + Rides.framed(List.of(encoder.encode(3))).length + " #0");
        assertThat(ingest.letters().get(0).get("raw_bytes").asInt()).isEqualTo(rest.length);
    }

    private Stream<String> outcomes() throws IOException {
        return ingest.letters().stream()
                .map(letter -> letter.get("stage").asText() + " "
                        + letter.get("reason").asText());
    }

    /** Writes a container of two blocks or more, changes it, and ingests it with a good neighbour. */
    private CommandRun ingestContainer(String codec, ContainerDamage damage) throws IOException {
        ingest.define(Format.AVRO.source, "");
        Rides.writeContainer(ingest.file("a.avro"), codec, 0, 1_000);
        Rides.writeContainer(ingest.file("b.avro"), codec, 1_000, 1_010);
        byte[] container = Files.readAllBytes(ingest.file("a.avro"));
        Files.write(ingest.file("a.avro"), damage.of(container));
        return ingest.run("--input", ingest.file("*.avro"));
    }

    private interface ContainerDamage {
        byte[] of(byte[] container);
    }

    /** Returns the offset of the second block, after the second sync marker. */
    private static int secondBlock(byte[] container) {
        String all = new String(container, ISO_8859_1);
        String sync = all.substring(all.length() - 16);
        return all.indexOf(sync, all.indexOf(sync) + 16) + 16;
    }

    @Tag("test")
    @Test
    void ingest_containerWithABadObject_theRestOfItsBlockIsOneLetter() throws IOException {
        CommandRun run = ingestContainer("null", container -> withFirst(container, "rid\u00C3\u00A9r-62", 1, 1));

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(outcomes()).containsExactly("decode undecodable");
        assertThat(ingest.letters().get(0).get("index").asLong()).isEqualTo(2);
        assertThat(ParquetFolder.longs(ingest.table(), "id"))
                .contains(0L, 1L, 999L, 1_009L)
                .doesNotContain(2L, 3L);
    }

    @Tag("test")
    @Test
    void ingest_containerWithADamagedBlock_whatCameBeforeIsKept() throws IOException {
        CommandRun run = ingestContainer("deflate", container -> {
            byte[] damaged = container.clone();
            Arrays.fill(damaged, secondBlock(container) + 8, secondBlock(container) + 24, (byte) 0xFF);
            return damaged;
        });

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(outcomes()).containsExactly("envelope undecodable");
        assertThat(ParquetFolder.longs(ingest.table(), "id"))
                .contains(0L, 1_000L, 1_009L)
                .doesNotHaveDuplicates();
    }

    @Tag("test")
    @Test
    void ingest_containerThatIsCut_whatCameBeforeIsKept() throws IOException {
        CommandRun run = ingestContainer("null", container -> Arrays.copyOf(container, secondBlock(container) + 100));

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(outcomes()).containsExactly("envelope undecodable");
        assertThat(ParquetFolder.longs(ingest.table(), "id")).contains(0L, 1_000L, 1_009L);
    }

    @Tag("test")
    @Test
    void ingest_containerThatIsABomb_isInflatedTooLarge() throws IOException {
        ingest.define(Format.AVRO.source + ", limits: {inflated: 1KiB}", "");
        Rides.writeContainer(ingest.file("rides.avro"), "deflate", 0, 1_000);

        Map<String, Long> counts = ingest.succeed("--input", ingest.file("rides.avro"));

        assertThat(outcomes()).containsExactly("envelope inflated_too_large");
        assertThat(counts).containsEntry("events", 1L).containsEntry("bad", 1L);
    }

    @Tag("test")
    @Test
    void ingest_notAContainer_isOneLetter() throws IOException {
        CommandRun run = ingestContainer("null", container -> "{\"id\": 1}".getBytes(UTF_8));

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(outcomes()).containsExactly("envelope undecodable");
        assertThat(ParquetFolder.longs(ingest.table(), "id")).hasSize(10);
    }

    @Tag("test")
    @Test
    void ingest_containerOfAnUnknownCodec_isOneLetter() throws IOException {
        CommandRun run = ingestContainer("snappy", container -> {
            byte[] other = container.clone();
            int at = new String(container, ISO_8859_1).indexOf("snappy");
            System.arraycopy("brotli".getBytes(UTF_8), 0, other, at, 6);
            return other;
        });

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(outcomes()).containsExactly("envelope unknown_codec");
        assertThat(ParquetFolder.longs(ingest.table(), "id")).hasSize(10);
    }

    @Tag("test")
    @Test
    void ingest_containerOfAnotherSchema_isALetterPerBlock() throws IOException {
        CommandRun run = ingestContainer("null", container -> {
            byte[] other = container.clone();
            int at = new String(container, ISO_8859_1).indexOf("\"status\"");
            System.arraycopy("\"stalus\"".getBytes(UTF_8), 0, other, at, 8);
            return other;
        });

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(outcomes().distinct()).containsExactly("envelope schema_incompatible");
        assertThat(ParquetFolder.longs(ingest.table(), "id")).hasSize(10);
    }

    @Tag("test")
    @Test
    void ingest_moreBadThanAllowed_exits1AndKeepsTheLetters() throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "");
        Encoder encoder = Rides.encoder(Format.THRIFT_BINARY, folder);
        Files.write(ingest.file("rides.in"), Rides.framed(List.of(encoder.encode(0), random(9), random(10))));

        CommandRun run = ingest.run("--max-bad", "50%");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.failures()).containsExactly("thalweg: 2 of 3 events are bad, more than --max-bad allows");
        assertThat(run.err()).contains("dead.jsonl");
        assertThat(outcomes()).containsExactly("decode undecodable", "decode undecodable");
    }

    @Tag("test")
    @Test
    void ingest_onBadEventFail_exits1AndNamesIt() throws IOException {
        ingest.define(Format.THRIFT_BINARY.source, "on_bad_event: fail");
        Encoder encoder = Rides.encoder(Format.THRIFT_BINARY, folder);
        byte[] good = Rides.framed(List.of(encoder.encode(0)));
        Files.write(ingest.file("rides.in"), concat(good, Rides.framed(List.of(random(9)))));

        CommandRun run = ingest.run();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.failures())
                .singleElement()
                .asString()
                .startsWith(
                        "thalweg: rides has on_bad_event: fail, and message 0 of the record at " + good.length + " of ")
                .contains("is bad (undecodable): ");
        assertThat(ParquetFolder.files(ingest.table()))
                .as("nothing half is visible")
                .isEmpty();
    }
}
