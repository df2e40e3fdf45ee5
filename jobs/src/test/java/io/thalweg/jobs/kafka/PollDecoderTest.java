package io.thalweg.jobs.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordHeaders;
import io.thalweg.model.Definitions;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PollDecoderTest {
    private static final Projection PROJECTION =
            Projection.of(Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: orders
                    source: {topic: orders, format: json}
                    where: {$headers.kind: [a, b, null], $partition: {gte: 0}}
                    entities: [{name: merchant, field: merchant}, {name: key, field: $key}]
                    measures: [{name: orders, count: all}]
                    windows: {sizes: [1m], every: 1m}
                    """, "orders.yaml").views());

    private final PollDecoder decoder = new PollDecoder(EventDecoder.create(PROJECTION), PROJECTION);

    /** A record as it was sent. */
    private record Sent(
            int partition, long offset, long timestampMs, byte @Nullable [] value, String key, String kind) {
        static Sent random(Random random, long offset) {
            byte[] value = random.nextInt(8) == 0
                    ? null
                    : "{\"merchant\":\"m%d\"%s"
                            .formatted(random.nextInt(5), random.nextInt(8) == 0 ? "" : "}")
                            .getBytes(StandardCharsets.UTF_8);
            return new Sent(
                    3, offset, 1_000 + offset, value, "k" + random.nextInt(3), random.nextBoolean() ? "a" : "b");
        }

        /** As the consumer has it: alone in an array, among others in a shared one, or outside the heap. */
        ConsumerRecord<byte[], ByteBuffer> received(Random random) {
            org.apache.kafka.common.header.internals.RecordHeaders headers =
                    new org.apache.kafka.common.header.internals.RecordHeaders();
            headers.add(new RecordHeader("kind", kind.getBytes(StandardCharsets.UTF_8)));
            return new ConsumerRecord<>(
                    "orders",
                    partition,
                    offset,
                    timestampMs,
                    TimestampType.CREATE_TIME,
                    -1,
                    -1,
                    key.getBytes(StandardCharsets.UTF_8),
                    value == null ? null : buffer(value, random.nextInt(4)),
                    headers,
                    Optional.empty());
        }

        private static ByteBuffer buffer(byte[] value, int form) {
            ByteBuffer shared = (form == 3
                            ? ByteBuffer.allocateDirect(value.length + 9)
                            : ByteBuffer.allocate(value.length + 9))
                    .put(new byte[] {'{', '"', '['})
                    .put(value)
                    .put(new byte[] {'}', '}'})
                    .position(3)
                    .limit(3 + value.length);
            return switch (form) {
                case 0 -> ByteBuffer.wrap(value);
                case 1 -> shared.slice();
                default -> shared;
            };
        }

        void decode(EventDecoder plain, EventColumns into) {
            byte[] bytes = value == null ? new byte[0] : value;
            RecordHeaders headers = name -> name.equals("kind") ? kind.getBytes(StandardCharsets.UTF_8) : null;
            plain.decode(
                    bytes,
                    0,
                    bytes.length,
                    partition,
                    offset,
                    timestampMs,
                    key.getBytes(StandardCharsets.UTF_8),
                    headers,
                    into);
        }
    }

    /** Against records decoded one by one from arrays of their own, poll after poll, with one or two given back late. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_randomRecords_sameAsOneByOne(long seed) {
        Random random = new Random(seed);
        EventDecoder plain = EventDecoder.create(PROJECTION);
        List<EventColumns> held = new ArrayList<>();
        List<EventColumns> expected = new ArrayList<>();
        for (int poll = 0; poll < 10; poll++) {
            List<ConsumerRecord<byte[], ByteBuffer>> records = new ArrayList<>();
            EventColumns naive = new EventColumns(PROJECTION);
            for (int i = random.nextInt(100); i >= 0; i--) {
                Sent sent = Sent.random(random, 1_000L * poll - i);
                records.add(sent.received(random));
                sent.decode(plain, naive);
            }
            held.add(decoder.decode(records));
            expected.add(naive);
            for (int i = 0; i < held.size(); i++) {
                assertThat(shown(held.get(i))).isEqualTo(shown(expected.get(i)));
            }
            while (held.size() > random.nextInt(3)) {
                decoder.giveBack(held.remove(0));
                expected.remove(0);
            }
        }
    }

    private static List<String> shown(EventColumns events) {
        List<String> shown = new ArrayList<>();
        for (int e = 0; e < events.size(); e++) {
            byte[] raw =
                    Arrays.copyOfRange(events.raw(e), events.rawOffset(e), events.rawOffset(e) + events.rawLength(e));
            StringBuilder event = new StringBuilder(new String(raw, StandardCharsets.UTF_8));
            event.append(" of %d %d at %d, %d bytes: %s "
                    .formatted(
                            events.partition(e),
                            events.recordOffset(e),
                            events.recordTimestampMs(e),
                            events.rawTotal(e),
                            events.decodeError(e)));
            for (int c = 0; c < PROJECTION.size(); c++) {
                event.append(events.kind(e, c))
                        .append(events.length(e, c) == 0 ? "" : events.string(e, c))
                        .append(' ');
            }
            shown.add(event.toString());
        }
        return shown;
    }

    @Test
    void decode_columnsGivenBack_areUsedAgainAndHoldNoBytes() {
        ConsumerRecord<byte[], ByteBuffer> record =
                Sent.random(new Random(1), 1).received(new Random(1));
        EventColumns first = decoder.decode(List.of(record));
        EventColumns second = decoder.decode(List.of(record));
        assertThat(second).isNotSameAs(first);

        decoder.giveBack(first);
        assertThat(first.size()).isZero();
        assertThat(decoder.decode(List.of(record))).isSameAs(first);
    }
}
