package io.thalweg.jobs.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import io.thalweg.jobs.kafka.fetch.AbortedTransactions;
import io.thalweg.jobs.kafka.fetch.BatchRecords;
import io.thalweg.jobs.kafka.fetch.DecompressedBytes;
import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import io.thalweg.jobs.kafka.fetch.HeaderCursor;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@link RawPolls} against the records that were sent. */
class RawPollsTest {
    private static final TopicPartition PARTITION = new TopicPartition("rides", 3);
    private static final long FIRST_OFFSET = 1_000;
    private static final List<String> NAMES = List.of("codec", "other", "Kodierung \u00fc", "");

    private final DecompressedBytes memory = new DecompressedBytes();

    /** A block that was not given back yet, with its expected content. */
    private record Held(FetchedBlock block, List<byte[]> memory, List<String> sent) {
        void isAsSent() {
            List<String> shown = new ArrayList<>();
            for (int i = 0; i < block.size(); i++) {
                shown.add(shown(block, i));
            }
            assertThat(shown).isEqualTo(sent);
            assertThat(block.last()).isEqualTo(block.position(block.size() - 1));
            assertThat(block.lost()).isZero();
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_randomRecords_areAsSentUntilTheyAreGivenBack(long seed) {
        Random random = new Random(seed);
        RawPolls polls = new RawPolls("codec", 1 + random.nextInt(60));
        Queue<Held> held = new ArrayDeque<>();
        for (int fetch = 0; fetch < 5; fetch++) {
            SimpleRecord[] records = new SimpleRecord[1 + random.nextInt(200)];
            Arrays.setAll(records, i -> record(random));
            FetchedRecords fetched = fetched(records);
            int next = 0;
            for (FetchedBlock block; (block = polls.decode(fetched)) != null; ) {
                List<String> sent = new ArrayList<>();
                for (int i = 0; i < block.size(); i++, next++) {
                    sent.add(shown(FIRST_OFFSET + next, records[next]));
                    assertThat(block.isTombstone(i)).isEqualTo(records[next].value() == null);
                }
                held.add(new Held(block, fetched.left(), sent));
                while (held.size() > random.nextInt(4)) {
                    held.element().isAsSent();
                    polls.giveBack(held.element().block);
                    memory.giveBack(held.remove().memory);
                }
            }
            assertThat(next).isEqualTo(records.length);
        }
        held.forEach(Held::isAsSent);
    }

    @Test
    void decode_largeRecords_areAFewInABlock() {
        SimpleRecord[] records = new SimpleRecord[10];
        Arrays.setAll(records, i -> new SimpleRecord(1, null, new byte[100_000]));
        FetchedRecords fetched = fetched(records);
        RawPolls polls = new RawPolls(null, 1_000);

        List<Integer> sizes = new ArrayList<>();
        for (FetchedBlock block; (block = polls.decode(fetched)) != null; ) {
            sizes.add(block.size());
            assertThat(block.bytes()).isEqualTo(block.size() * 100_000L);
        }
        assertThat(sizes).containsExactly(3, 3, 3, 1);
    }

    /** Brokers do not check headers, so a producer may send anything. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void last_damagedHeaders_namesThePlace(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 100; i++) {
            byte[] headers = new byte[1 + random.nextInt(12)];
            random.nextBytes(headers);
            try {
                var unused = new HeaderCursor(headers, 0, headers.length, () -> "here").last("codec");
            } catch (CorruptRecordException e) {
                assertThat(e).hasMessageStartingWith("here is damaged: it has ");
            }
        }
        assertThatThrownBy(() -> new HeaderCursor(new byte[] {2, 9}, 0, 2, () -> "here").last("codec"))
                .hasMessage("here is damaged: it has a header field of -5 bytes where 0 are left");
    }

    private static SimpleRecord record(Random random) {
        byte[] key = random.nextBoolean() ? null : bytes(random, 9);
        byte[] value = random.nextInt(10) == 0 ? null : bytes(random, 1 << random.nextInt(12));
        Header[] headers = new Header[random.nextInt(4)];
        Arrays.setAll(
                headers,
                h -> new org.apache.kafka.common.header.internals.RecordHeader(
                        NAMES.get(random.nextInt(NAMES.size())), random.nextInt(5) == 0 ? null : bytes(random, 200)));
        return new SimpleRecord(random.nextInt(1 << random.nextInt(30)), key, value, headers);
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt(128);
        }
        return bytes;
    }

    private FetchedRecords fetched(SimpleRecord... records) {
        return new BatchRecords(
                PARTITION,
                MemoryRecords.withRecords(FIRST_OFFSET, Compression.lz4().build(), records)
                        .batches()
                        .iterator(),
                new AbortedTransactions(null),
                LogPosition.unread(0),
                true,
                BufferSupplier.NO_CACHING,
                memory);
    }

    private static String shown(RawRecords block, int i) {
        byte[] value = Arrays.copyOfRange(block.data(i), block.from(i), block.to(i));
        return shown(block.position(i), block.timestampMs(i), block.key(i), value)
                + shown(block.headers(i), block.codec(i));
    }

    private static String shown(long offset, SimpleRecord record) {
        List<RecordHeader> headers = new ArrayList<>();
        String codec = null;
        for (Header header : record.headers()) {
            if (header.key().equals("codec")) {
                codec = header.value() == null ? null : new String(header.value(), UTF_8);
            } else {
                headers.add(new RecordHeader(header.key(), header.value()));
            }
        }
        byte[] value = record.value() == null ? new byte[0] : Utils.toArray(record.value());
        return shown(offset, record.timestamp(), Utils.toNullableArray(record.key()), value) + shown(headers, codec);
    }

    private static String shown(long offset, long timestampMs, byte @Nullable [] key, byte[] value) {
        return "%d at %d: %s %s".formatted(offset, timestampMs, Arrays.toString(key), Arrays.toString(value));
    }

    private static String shown(List<RecordHeader> headers, @Nullable String codec) {
        StringBuilder shown = new StringBuilder(" in ").append(codec);
        headers.forEach(
                header -> shown.append(' ').append(header.name()).append('=').append(Arrays.toString(header.value())));
        return shown.toString();
    }
}
