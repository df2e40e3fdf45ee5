package io.thalweg.jobs.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests {@link BatchRecords} against the iterators of Kafka's own client. */
class BatchRecordsTest {
    private static final TopicPartition PARTITION = new TopicPartition("orders", 3);
    private static final List<CompressionType> COMPRESSIONS = List.of(CompressionType.values());
    private static final List<String> NAMES = List.of("kind", "other", "x".repeat(200));

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_randomBatches_givesWhatTheClientGives(long seed) {
        Random random = new Random(seed);
        List<RecordBatch> batches = randomBatches(random);
        long fromOffset = random.nextBoolean() ? 0 : random.nextInt(2_000);

        assertThat(shown(fetched(batches, fromOffset, true))).isEqualTo(expected(batches, fromOffset));
    }

    @Test
    void next_valuesLargerThanAWindow_areWhole() {
        Random random = new Random(7);
        List<RecordBatch> batches = new ArrayList<>();
        for (CompressionType type : List.of(CompressionType.NONE, CompressionType.LZ4, CompressionType.ZSTD)) {
            SimpleRecord[] records = {
                record(random, random.nextInt(10)),
                record(random, 500_000),
                record(random, 131_072),
                record(random, 0),
                record(random, 131_065)
            };
            add(
                    MemoryRecords.withRecords(
                            100L * batches.size(), Compression.of(type).build(), records),
                    batches);
        }

        assertThat(shown(fetched(batches, 0, true))).isEqualTo(expected(batches, 0));
    }

    /** Values that are read after the cursor has moved on, before their memory is given back. */
    private record Block(List<ByteBuffer> values, List<@Nullable ByteBuffer> sent, List<byte[]> memory) {
        void isAsSent() {
            assertThat(values).isEqualTo(sent);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void bytes_untilGivenBack_stayAsTheyWere(long seed) {
        Random random = new Random(seed);
        DecompressedBytes memory = new DecompressedBytes();
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        Queue<Block> held = new ArrayDeque<>();
        for (int fetch = 0; fetch < 10; fetch++) {
            SimpleRecord[] records = new SimpleRecord[200 + random.nextInt(100)];
            Arrays.setAll(records, i -> record(random, 1_000));
            List<RecordBatch> batches = new ArrayList<>();
            for (int from = 0; from < records.length; from += 50) {
                SimpleRecord[] some = Arrays.copyOfRange(records, from, Math.min(records.length, from + 50));
                add(MemoryRecords.withRecords(Compression.lz4().build(), some), batches);
            }
            FetchedRecords fetched = fetched(batches, 0, true, memory);
            boolean more = true;
            for (int next = 0; more; ) {
                Block block = new Block(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
                for (int i = random.nextInt(150); i >= 0 && (more = fetched.next()); i--) {
                    arrays.add(fetched.bytes());
                    block.values.add(ByteBuffer.wrap(fetched.bytes(), fetched.valueAt(), fetched.valueLength()));
                    block.sent.add(records[next++].value());
                }
                block.memory.addAll(fetched.left());
                held.add(block);
                while (held.size() > random.nextInt(4)) {
                    held.element().isAsSent();
                    memory.giveBack(held.remove().memory);
                }
            }
        }
        held.forEach(Block::isAsSent);
        assertThat(arrays).as("2.5 MB have been read through").hasSizeLessThan(10);
    }

    @Test
    void behind_batchesOfTwoLeaders_isOfTheBatchRead() {
        Uuid topic = Uuid.randomUuid();
        List<RecordBatch> batches = new ArrayList<>();
        for (int leader = 4; leader <= 5; leader++) {
            MemoryRecords records = MemoryRecords.withRecords(
                    10L * leader, Compression.NONE, leader, record(new Random(1), 9), record(new Random(2), 9));
            add(records, batches);
        }
        LogPosition from = new LogPosition(41, 3, topic);
        FetchedRecords fetched = new BatchRecords(
                PARTITION,
                batches.iterator(),
                new AbortedTransactions(null),
                from,
                true,
                BufferSupplier.create(),
                new DecompressedBytes());
        List<LogPosition> behind = new ArrayList<>();
        while (fetched.next()) {
            behind.add(fetched.behind());
        }
        assertThat(behind)
                .containsExactly(
                        new LogPosition(42, 4, topic), new LogPosition(51, 5, topic), new LogPosition(52, 5, topic));
    }

    @Test
    void next_batchDamaged_isRefusedByItsChecksum() {
        byte[] bytes = bytes(MemoryRecords.withRecords(
                40, Compression.NONE, record(new Random(1), 100), record(new Random(2), 100)));
        bytes[bytes.length - 5] ^= 1;

        FetchedRecords fetched = fetched(batches(bytes), 0, true);

        assertThatThrownBy(fetched::next).isInstanceOf(KafkaException.class).hasMessageContaining("corrupt");
    }

    /** Without checksums, the cursor returns records or throws an exception that names the place, nothing else. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void next_batchDamagedAndNotVerified_namesThePlace(long seed) {
        Random random = new Random(seed);
        byte[] whole = bytes(MemoryRecords.withRecords(
                1_000, Compression.NONE, record(random, 30), record(random, 3), record(random, 300)));
        for (int i = 0; i < 200; i++) {
            byte[] bytes = whole.clone();
            int at = DefaultRecordBatch.RECORD_BATCH_OVERHEAD
                    + random.nextInt(bytes.length - DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
            bytes[at] = (byte) random.nextInt();
            try {
                shown(fetched(batches(bytes), 0, false));
            } catch (KafkaException e) {
                assertThat(e).hasMessageStartingWith("the batch at offset 1000 of orders-3 is damaged: ");
            } catch (RuntimeException | Error e) {
                fail("reading must not throw this", e);
            }
        }
    }

    @Test
    void next_compressedBatchDamagedAndNotVerified_namesThePlace() {
        byte[] bytes =
                bytes(MemoryRecords.withRecords(1_000, Compression.gzip().build(), record(new Random(2), 3_000)));
        bytes[(DefaultRecordBatch.RECORD_BATCH_OVERHEAD + bytes.length) / 2] ^= 0x55;

        FetchedRecords fetched = fetched(batches(bytes), 0, false);

        assertThatThrownBy(() -> shown(fetched))
                .isInstanceOfAny(UncheckedIOException.class, KafkaException.class)
                .hasMessageContaining("the batch at offset 1000 of orders-3");
    }

    private static List<RecordBatch> randomBatches(Random random) {
        List<RecordBatch> batches = new ArrayList<>();
        long offset = random.nextInt(1_000);
        for (int b = random.nextInt(6); b >= 0; b--) {
            byte magic = (byte) (random.nextInt(4) == 0 ? random.nextInt(2) : RecordBatch.MAGIC_VALUE_V2);
            CompressionType type = magic == RecordBatch.MAGIC_VALUE_V2
                    ? COMPRESSIONS.get(random.nextInt(COMPRESSIONS.size()))
                    : random.nextBoolean() ? CompressionType.NONE : CompressionType.GZIP;
            TimestampType timestamps = magic == RecordBatch.MAGIC_VALUE_V0 || random.nextBoolean()
                    ? TimestampType.CREATE_TIME
                    : TimestampType.LOG_APPEND_TIME;
            SimpleRecord[] records = new SimpleRecord[1 + random.nextInt(50)];
            for (int i = 0; i < records.length; i++) {
                SimpleRecord record = record(random, random.nextInt(1 << random.nextInt(12)));
                records[i] = magic == RecordBatch.MAGIC_VALUE_V2
                        ? record
                        : new SimpleRecord(
                                record.timestamp(),
                                Utils.toNullableArray(record.key()),
                                Utils.toNullableArray(record.value()));
            }
            add(MemoryRecords.withRecords(magic, offset, Compression.of(type).build(), timestamps, records), batches);
            offset += records.length + random.nextInt(20);
        }
        return batches;
    }

    private static SimpleRecord record(Random random, int valueBytes) {
        byte[] value = random.nextInt(10) == 0 && valueBytes < 100 ? null : new byte[valueBytes];
        if (value != null && random.nextBoolean()) {
            random.nextBytes(value);
        }
        byte[] key = random.nextBoolean()
                ? null
                : "key-%d".formatted(random.nextInt(1_000)).getBytes(StandardCharsets.UTF_8);
        Header[] headers = new Header[random.nextInt(4)];
        Arrays.setAll(
                headers,
                h -> new RecordHeader(
                        NAMES.get(random.nextInt(NAMES.size())),
                        random.nextInt(5) == 0 ? null : new byte[random.nextInt(200)]));
        return new SimpleRecord(1_700_000_000_000L + random.nextInt(1 << random.nextInt(30)), key, value, headers);
    }

    private static byte[] bytes(MemoryRecords records) {
        return Utils.toArray(records.buffer());
    }

    private static List<RecordBatch> batches(byte[] bytes) {
        List<RecordBatch> batches = new ArrayList<>();
        add(MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)), batches);
        return batches;
    }

    private static void add(MemoryRecords records, List<RecordBatch> into) {
        records.batches().forEach(into::add);
    }

    private static FetchedRecords fetched(List<RecordBatch> batches, long fromOffset, boolean checksums) {
        return fetched(batches, fromOffset, checksums, new DecompressedBytes());
    }

    private static FetchedRecords fetched(
            List<RecordBatch> batches, long fromOffset, boolean checksums, DecompressedBytes memory) {
        return new BatchRecords(
                PARTITION,
                batches.iterator(),
                new AbortedTransactions(null),
                LogPosition.unread(fromOffset),
                checksums,
                BufferSupplier.create(),
                memory);
    }

    private static List<String> shown(FetchedRecords records) {
        List<String> shown = new ArrayList<>();
        while (records.next()) {
            byte[] value = records.valueLength() < 0
                    ? null
                    : Arrays.copyOfRange(records.bytes(), records.valueAt(), records.valueAt() + records.valueLength());
            List<byte[]> headers = new ArrayList<>();
            NAMES.forEach(name -> headers.add(records.last(name)));
            shown.add(shown(records.offset(), records.timestampMs(), records.key(), value, headers));
        }
        return shown;
    }

    private static List<String> expected(List<RecordBatch> batches, long fromOffset) {
        List<String> shown = new ArrayList<>();
        for (RecordBatch batch : batches) {
            try (CloseableIterator<Record> records = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
                while (records.hasNext()) {
                    Record record = records.next();
                    if (record.offset() >= fromOffset) {
                        shown.add(shown(
                                record.offset(),
                                record.timestamp(),
                                Utils.toNullableArray(record.key()),
                                Utils.toNullableArray(record.value()),
                                headers(record)));
                    }
                }
            }
        }
        return shown;
    }

    private static List<byte[]> headers(Record record) {
        List<byte[]> headers = new ArrayList<>();
        for (String name : NAMES) {
            byte[] found = null;
            for (Header header : record.headers()) {
                found = header.key().equals(name) ? header.value() : found;
            }
            headers.add(found);
        }
        return headers;
    }

    private static String shown(
            long offset, long timestampMs, byte @Nullable [] key, byte @Nullable [] value, List<byte[]> headers) {
        List<String> texts = new ArrayList<>();
        headers.forEach(header -> texts.add(Arrays.toString(header)));
        return "%d at %d: %s %s %s"
                .formatted(
                        offset,
                        timestampMs,
                        Arrays.toString(key),
                        value == null ? null : value.length + " " + Arrays.hashCode(value),
                        texts);
    }
}
