package io.thalweg.jobs.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordOrigin;
import io.thalweg.jobs.kafka.fetch.AbortedTransactions;
import io.thalweg.jobs.kafka.fetch.BatchRecords;
import io.thalweg.jobs.kafka.fetch.DecompressedBytes;
import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.model.Definitions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.utils.BufferSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventPollsTest {
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

    private final EventPolls decoder = new EventPolls(EventDecoder.create(PROJECTION), PROJECTION, 100);

    /** The origin of a sent record. */
    private record Origin(Sent sent) implements RecordOrigin {
        @Override
        public int partition() {
            return sent.partition;
        }

        @Override
        public long offset() {
            return sent.offset;
        }

        @Override
        public long timestampMs() {
            return sent.timestampMs;
        }

        @Override
        public byte[] key() {
            return sent.key.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte @Nullable [] last(String name) {
            return name.equals("kind") ? sent.kind.getBytes(StandardCharsets.UTF_8) : null;
        }
    }

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

        SimpleRecord record() {
            RecordHeader header = new RecordHeader("kind", kind.getBytes(StandardCharsets.UTF_8));
            return new SimpleRecord(timestampMs, key.getBytes(StandardCharsets.UTF_8), value, new Header[] {
                new RecordHeader("other", null), header
            });
        }

        void decode(EventDecoder plain, EventColumns into) {
            if (value == null) {
                into.appendTombstone(new byte[0], 0, new Origin(this));
            } else {
                plain.decode(value, 0, value.length, new Origin(this), into);
            }
        }
    }

    /** Compares polls, of which one or two are given back late, with records decoded one by one from separate arrays. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_randomRecords_sameAsOneByOne(long seed) {
        Random random = new Random(seed);
        EventDecoder plain = EventDecoder.create(PROJECTION);
        List<EventColumns> held = new ArrayList<>();
        List<EventColumns> expected = new ArrayList<>();
        for (int poll = 0; poll < 10; poll++) {
            List<SimpleRecord> records = new ArrayList<>();
            EventColumns naive = new EventColumns(PROJECTION);
            long first = 1_000L * poll;
            for (int i = random.nextInt(100); i >= 0; i--) {
                Sent sent = Sent.random(random, first + records.size());
                records.add(sent.record());
                sent.decode(plain, naive);
            }
            held.add(requireNonNull(decoder.decode(fetched(first, records))));
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
            event.append(" of %s %d %d at %d, %d bytes: %s "
                    .formatted(
                            events.isTombstone(e) ? "no event" : "event",
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
        SimpleRecord record = Sent.random(new Random(1), 1).record();
        FetchedRecords three = fetched(1, List.of(record, record, record));
        EventPolls single = new EventPolls(EventDecoder.create(PROJECTION), PROJECTION, 1);
        EventColumns first = requireNonNull(single.decode(three));
        EventColumns second = single.decode(three);
        assertThat(second).isNotSameAs(first);

        single.giveBack(first);
        assertThat(first.size()).isZero();
        assertThat(single.decode(three)).isSameAs(first);
        assertThat(single.decode(three)).isNull();
    }

    private static FetchedRecords fetched(long firstOffset, List<SimpleRecord> records) {
        MemoryRecords batch =
                MemoryRecords.withRecords(firstOffset, Compression.lz4().build(), records.toArray(SimpleRecord[]::new));
        return new BatchRecords(
                new TopicPartition("orders", 3),
                batch.batches().iterator(),
                new AbortedTransactions(null),
                LogPosition.unread(0),
                true,
                BufferSupplier.NO_CACHING,
                new DecompressedBytes());
    }
}
