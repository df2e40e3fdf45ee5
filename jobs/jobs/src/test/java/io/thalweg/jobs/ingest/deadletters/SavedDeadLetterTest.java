package io.thalweg.jobs.ingest.deadletters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter.Stage;
import io.thalweg.records.BadRecordException;
import io.thalweg.warehouse.EncodedRows.Origin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SavedDeadLetterTest {
    private static final byte[] MESSAGE = "garbage".getBytes(UTF_8);
    private static final String OLD =
            "{\"ingest\":\"rides\",\"stage\":\"decode\",\"reason\":\"undecodable\",\"source\":\"topic\","
                    + "\"partition\":3,\"offset\":17,\"index\":2,\"raw\":\"garbage\",\"raw_encoding\":\"text\"%s}";

    private static byte[] letter(RecordAttributes attributes) {
        return new IngestDeadLetter(
                        "rides",
                        Stage.DECODE,
                        BadRecordException.undecodable("it is garbage"),
                        new Origin("topic", 3, 17, 2),
                        new IngestDeadLetter.Content(
                                DeadLetter.Raw.of(MESSAGE, 0, MESSAGE.length, MESSAGE.length), null, true, attributes),
                        1,
                        Instant.EPOCH)
                .toJson();
    }

    private static SavedDeadLetter parse(byte[] json) {
        return Objects.requireNonNull(SavedDeadLetter.parse(json, 0, json.length), new String(json, UTF_8));
    }

    private static byte @Nullable [] bytes(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> "naïve \"text\" \n\u0000 %d".formatted(random.nextInt()).getBytes(UTF_8);
            case 2 -> new byte[0];
            default -> {
                byte[] any = new byte[random.nextInt(50)];
                random.nextBytes(any);
                yield any;
            }
        };
    }

    private static void requireEqual(RecordAttributes expected, RawRecords record) {
        assertThat(record.key(0)).isEqualTo(expected.key());
        assertThat(record.timestampMs(0)).isEqualTo(expected.timestampMs());
        assertThat(record.headers(0))
                .extracting(RecordHeader::name)
                .containsExactlyElementsOf(
                        expected.headers().stream().map(RecordHeader::name).toList());
        for (int i = 0; i < expected.headers().size(); i++) {
            assertThat(record.headers(0).get(i).value())
                    .isEqualTo(expected.headers().get(i).value());
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void parse_anyAttributes_areThoseThatWereWritten(long seed) {
        Random random = new Random(seed);
        List<RecordHeader> headers = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.add(new RecordHeader("h\"" + random.nextInt(2), bytes(random)));
        }
        RecordAttributes attributes =
                new RecordAttributes(bytes(random), random.nextInt(3) - 1, headers, random.nextBoolean());

        SavedDeadLetter saved = parse(letter(attributes));

        requireEqual(attributes, saved.record());
        assertThat(saved.hasAttributes()).isEqualTo(!attributes.isOmitted());
        requireEqual(attributes, parse(saved.toJson()).record());
        assertThat(parse(saved.toJson()).hasAttributes()).isEqualTo(!attributes.isOmitted());
        assertThat(RecordAttributes.of(saved.record(), 0)).isSameAs(saved.attributes());
    }

    @Test
    void parse_letterWithoutAttributes_hasNone() {
        SavedDeadLetter old = parse(OLD.formatted("").getBytes(UTF_8));

        requireEqual(RecordAttributes.NONE, old.record());
        assertThat(old.hasAttributes()).isTrue();
        assertThat(old.record().partition()).isEqualTo(3);
        assertThat(new String(parse(old.toJson()).raw(), UTF_8)).isEqualTo("garbage");
    }

    @Test
    void parse_headersOfAnotherForm_isNotALetter() {
        for (String headers :
                List.of("[1]", "[{}]", "[{\"name\":1}]", "[{\"name\":\"a\",\"value\":{\"b\":1}}]", "[[]]")) {
            byte[] json = OLD.formatted(",\"headers\":" + headers).getBytes(UTF_8);
            assertThat(SavedDeadLetter.parse(json, 0, json.length)).as(headers).isNull();
        }
    }

    @Test
    void toJson_largeKeyOrManyHeaders_areOmittedAndFetchedWithTheRecord() {
        List<RecordHeader> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(new RecordHeader("a", new byte[0]));
        }
        for (RecordAttributes large : List.of(
                new RecordAttributes(new byte[33_000], 5, List.of(), false),
                new RecordAttributes(null, 5, many, false))) {
            byte[] json = letter(large);
            SavedDeadLetter saved = parse(json);
            assertThat(json).hasSizeLessThan(1_000);
            assertThat(saved.hasAttributes()).isFalse();
            assertThat(saved.record().timestampMs(0)).isEqualTo(5);

            ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("topic", 3, 17, large.key(), MESSAGE);
            large.headers().forEach(header -> record.headers().add(header.name(), header.value()));
            record.headers().add("codec", "gzip".getBytes(UTF_8));
            SavedDeadLetter fetched = parse(saved.fetched(record, "codec").toJson());

            requireEqual(
                    new RecordAttributes(large.key(), ConsumerRecord.NO_TIMESTAMP, large.headers(), false),
                    fetched.record());
            assertThat(fetched.hasAttributes()).isTrue();
        }
    }
}
