package io.thalweg.jobs.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.jobs.kafka.fetch.DecompressedBytes;
import io.thalweg.jobs.kafka.fetch.FetchedRecords;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import io.thalweg.jobs.kafka.fetch.LostPositionException;
import io.thalweg.jobs.kafka.fetch.PartitionReader;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import io.thalweg.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests both readers against Kafka's own consumer on a real broker. */
class PartitionReaderIT {
    private static final int PARTITIONS = 3;
    private static final Duration POLL = Duration.ofMillis(50);
    private static final long PATIENCE_NANOS = Await.PATIENCE.toNanos();

    @TempDir
    static Path folder;

    private static EmbeddedKafka kafka;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.start(folder, 0);
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    private static PartitionReader reader(Kafka.Reader kind, Properties properties) {
        return PartitionReader.create(kind, properties, new DecompressedBytes());
    }

    private static List<TopicPartition> topic(String name) {
        kafka.createTopic(name, PARTITIONS, Map.of("segment.bytes", "1048576"));
        List<TopicPartition> partitions = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            partitions.add(new TopicPartition(name, p));
        }
        return partitions;
    }

    private static Properties properties(String isolation) {
        Properties properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers",
                kafka.bootstrap(),
                "group.id",
                "readers",
                "isolation.level",
                isolation,
                "max.partition.fetch.bytes",
                "100000",
                "fetch.max.wait.ms",
                "100"));
        return properties;
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(more);
        properties.putIfAbsent("bootstrap.servers", kafka.bootstrap());
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, TopicPartition to, int records, Random random) {
        for (int i = 0; i < records; i++) {
            byte[] value = random.nextInt(20) == 0 ? null : new byte[random.nextInt(400)];
            if (value != null) {
                Arrays.fill(value, (byte) random.nextInt());
            }
            byte[] key = random.nextBoolean() ? null : String.valueOf(i).getBytes(StandardCharsets.UTF_8);
            var unused = producer.send(new ProducerRecord<>(to.topic(), to.partition(), 1_000L * i, key, value));
        }
        producer.flush();
    }

    private static Map<TopicPartition, Long> ends(List<TopicPartition> partitions) throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end :
                    admin.listOffsets(asked).all().get().entrySet()) {
                ends.put(end.getKey(), end.getValue().offset());
            }
        }
        return ends;
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource
    void lag_whileATopicIsRead_isWhatIsLeftOfIt(Kafka.Reader kind) throws Exception {
        List<TopicPartition> partitions = topic("lag-" + kind);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
            for (TopicPartition partition : partitions) {
                send(producer, partition, 2_000, new Random(1));
            }
        }
        long all = 2_000L * partitions.size();
        Set<Long> seen = new HashSet<>();
        try (PartitionReader reader = reader(kind, properties("read_committed"))) {
            partitions.forEach(partition -> reader.add(partition, LogPosition.unread(0)));
            assertThat(reader.lag()).as("before brokers answer").isZero();
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            long read = 0;
            while (read < all) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                reader.poll(POLL);
                read = partitions.stream()
                        .mapToLong(partition -> reader.position(partition).offset())
                        .sum();
                if (partitions.stream()
                        .allMatch(partition -> reader.position(partition).offset() > 0)) {
                    assertThat(reader.lag()).isEqualTo(all - read);
                    seen.add(reader.lag());
                }
            }
        }
        assertThat(seen).contains(0L).hasSizeGreaterThan(1);
    }

    @Tag("faults")
    @ParameterizedTest
    @CsvSource({
        "BATCHES, read_committed",
        "BATCHES, read_uncommitted",
        "CONSUMER, read_committed",
        "CONSUMER, read_uncommitted"
    })
    void poll_transactionsAndCompressions_givesWhatTheConsumerGives(Kafka.Reader kind, String isolation)
            throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<TopicPartition> partitions = topic("mixed-" + kind + "-" + isolation);
        for (int round = 0; round < 12; round++) {
            String compression =
                    List.of("none", "gzip", "snappy", "lz4", "zstd").get(random.nextInt(5));
            try (KafkaProducer<byte[], byte[]> plain = producer(Map.of("compression.type", compression));
                    KafkaProducer<byte[], byte[]> transactional = producer(
                            Map.of("compression.type", compression, "transactional.id", "t" + random.nextInt(2)))) {
                transactional.initTransactions();
                transactional.beginTransaction();
                for (TopicPartition partition : partitions) {
                    send(transactional, partition, random.nextInt(60), random);
                    send(plain, partition, random.nextInt(60), random);
                    send(transactional, partition, random.nextInt(3), random);
                }
                if (random.nextBoolean()) {
                    transactional.commitTransaction();
                } else {
                    transactional.abortTransaction();
                }
            }
        }
        Map<TopicPartition, Long> ends = ends(partitions);
        for (boolean fromTheBegin : new boolean[] {true, false}) {
            Map<TopicPartition, Long> from = new TreeMap<>((a, b) -> Integer.compare(a.partition(), b.partition()));
            ends.forEach((partition, end) -> from.put(partition, fromTheBegin ? 0 : random.nextLong(end + 1)));

            assertThat(read(kind, properties(isolation), from, ends))
                    .as("seed %d from %s", seed, from)
                    .isEqualTo(readByTheConsumer(properties(isolation), from, ends));
        }
    }

    private static Map<TopicPartition, List<String>> read(
            Kafka.Reader kind, Properties properties, Map<TopicPartition, Long> from, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, List<String>> read = new HashMap<>();
        try (PartitionReader consumer = reader(kind, properties)) {
            from.forEach((partition, offset) -> consumer.add(partition, LogPosition.unread(offset)));
            until(() -> {
                take(consumer, read);
                return from.keySet().stream()
                        .allMatch(each -> consumer.position(each).offset() >= ends.getOrDefault(each, 0L));
            });
        }
        return read;
    }

    private static void take(PartitionReader consumer, Map<TopicPartition, List<String>> into) {
        for (FetchedRecords fetched : consumer.poll(POLL)) {
            while (fetched.next()) {
                byte[] value = fetched.valueLength() < 0
                        ? null
                        : Arrays.copyOfRange(
                                fetched.bytes(), fetched.valueAt(), fetched.valueAt() + fetched.valueLength());
                into.computeIfAbsent(fetched.topicPartition(), partition -> new ArrayList<>())
                        .add(shown(fetched.offset(), fetched.timestampMs(), fetched.key(), value));
            }
        }
    }

    private static Map<TopicPartition, List<String>> readByTheConsumer(
            Properties properties, Map<TopicPartition, Long> from, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, List<String>> read = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(from.keySet());
            from.forEach(consumer::seek);
            until(() -> {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    read.computeIfAbsent(
                                    new TopicPartition(record.topic(), record.partition()),
                                    partition -> new ArrayList<>())
                            .add(shown(record.offset(), record.timestamp(), record.key(), record.value()));
                }
                return from.keySet().stream().allMatch(each -> consumer.position(each) >= ends.getOrDefault(each, 0L));
            });
        }
        return read;
    }

    private static String shown(long offset, long timestampMs, byte @Nullable [] key, byte @Nullable [] value) {
        return "%d at %d: %s %s %d"
                .formatted(
                        offset,
                        timestampMs,
                        key == null ? null : new String(key, StandardCharsets.UTF_8),
                        value == null ? null : value.length,
                        Arrays.hashCode(value));
    }

    private static void until(BooleanSupplier done) {
        Await.until("the records", done::getAsBoolean);
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource
    void fetch_recordsDeleted_reportsThemOnceAndReadsAllOthersOnce(Kafka.Reader kind) throws Exception {
        List<TopicPartition> partitions = topic("lost-" + kind).subList(0, 2);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            for (TopicPartition partition : partitions) {
                send(producer, partition, 100, new Random(1));
            }
            admin.deleteRecords(Map.of(partitions.get(0), RecordsToDelete.beforeOffset(50)))
                    .all()
                    .get();
        }
        List<String> lost = new ArrayList<>();
        Map<TopicPartition, List<Long>> read = new HashMap<>();
        try (KafkaFetcher<FetchedBlock> fetcher = fetcher("lost-" + kind, kind)) {
            fetcher.start(() -> {});
            fetcher.add(Map.of(partitions.get(0), LogPosition.unread(20), partitions.get(1), LogPosition.unread(0)));
            until(() -> {
                take(fetcher, lost, read);
                return read.values().stream().mapToInt(List::size).sum() >= 150;
            });
        }
        assertThat(lost).containsExactly("lost-" + kind + "-0: 20 to 50");
        assertThat(read)
                .containsEntry(
                        partitions.get(0), LongStream.range(50, 100).boxed().toList())
                .containsEntry(
                        partitions.get(1), LongStream.range(0, 100).boxed().toList());
    }

    private static KafkaFetcher<FetchedBlock> fetcher(String topic, Kafka.Reader kind) {
        Map<String, String> properties = new HashMap<>();
        properties("read_committed").forEach((name, value) -> properties.put((String) name, (String) value));
        return new KafkaFetcher<>(
                new TopicRead(List.of(topic), kind, properties, 0), new RawPolls(null, 7), Clock.systemUTC());
    }

    @Tag("faults")
    @Test
    void fetch_logEndsBeforeAFirstPosition_failsForGood() {
        TopicPartition partition = topic("short").get(0);
        try (KafkaFetcher<FetchedBlock> fetcher = fetcher("short", Kafka.Reader.BATCHES)) {
            fetcher.start(() -> {});
            fetcher.add(Map.of(partition, LogPosition.unread(3)));
            assertThatThrownBy(() -> until(() -> fetcher.poll() instanceof KafkaFetcher.Fetched<FetchedBlock>))
                    .hasCauseInstanceOf(LostPositionException.class)
                    .hasMessageContaining("short-0 cannot be read on from offset 3: its records were deleted");
        }
    }

    private static void take(
            KafkaFetcher<FetchedBlock> fetcher, List<String> lost, Map<TopicPartition, List<Long>> read) {
        KafkaFetcher.Report<FetchedBlock> report = fetcher.poll();
        if (report instanceof KafkaFetcher.Lost<FetchedBlock> loss) {
            lost.add("%s: %d to %d".formatted(loss.partition(), loss.from().offset(), loss.to()));
        } else if (report instanceof KafkaFetcher.Fetched<FetchedBlock> fetched) {
            for (int i = 0; i < fetched.block().size(); i++) {
                read.computeIfAbsent(fetched.partition(), partition -> new ArrayList<>())
                        .add(fetched.block().position(i));
            }
            fetcher.giveBack(fetched);
        }
    }

    @Tag("faults")
    @ParameterizedTest
    @EnumSource
    void poll_offsetThatIsNotThereAnyMore_isRefused(Kafka.Reader kind) throws Exception {
        TopicPartition partition = topic("deleted-" + kind).get(0);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
            send(producer, partition, 100, new Random(1));
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(50)))
                    .all()
                    .get();
        }
        try (PartitionReader consumer = reader(kind, properties("read_committed"))) {
            consumer.add(partition, LogPosition.unread(49));
            assertThatThrownBy(() -> until(() -> !consumer.poll(POLL).isEmpty()))
                    .isInstanceOf(LostPositionException.class)
                    .hasMessage("deleted-" + kind
                            + "-0 cannot be read on from offset 49: its records were deleted before they were read, or its"
                            + " brokers lost some. What is there now can be read with --resume none");
        }
    }

    /** While it is read, and between two runs; otherwise records of the new topic would be skipped. Kafka's consumer cannot detect it. */
    @Tag("faults")
    @Test
    void poll_topicCreatedAgain_isRefused() throws Exception {
        Kafka.Reader kind = Kafka.Reader.BATCHES;
        TopicPartition partition = topic("again").get(0);
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()));
                PartitionReader consumer = reader(kind, properties("read_committed"))) {
            consumer.add(partition, LogPosition.unread(0));
            send(producer, partition, 100, new Random(1));
            until(() -> {
                take(consumer, new HashMap<>());
                return consumer.position(partition).offset() == 100;
            });
            LogPosition first = consumer.position(partition);
            admin.deleteTopics(List.of(partition.topic())).all().get();
            until(() -> created(admin, partition.topic()));
            send(producer, partition, 200, new Random(2));

            assertIsRefused(consumer);
            try (PartitionReader next = reader(kind, properties("read_committed"))) {
                next.add(partition, first);
                assertIsRefused(next);
            }
        }
    }

    private static void assertIsRefused(PartitionReader consumer) {
        assertThatThrownBy(() -> until(() -> !consumer.poll(POLL).isEmpty()))
                .isInstanceOf(LostPositionException.class)
                .hasMessageStartingWith(
                        "again-0 cannot be read on from offset 100: its topic was deleted and created again.");
    }

    /** Creates a topic; returns false while one of that name is still being deleted. */
    private static boolean created(Admin admin, String topic) {
        try {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get();
            return true;
        } catch (ExecutionException | InterruptedException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return false;
            }
            throw new IllegalStateException(e);
        }
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource
    void pauseOnly_someOfThem_bringsTheOthersUntilItIsTakenBack(Kafka.Reader kind) {
        List<TopicPartition> partitions = topic("paused-" + kind);
        Map<TopicPartition, List<String>> read = new HashMap<>();
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of());
                PartitionReader consumer = reader(kind, properties("read_committed"))) {
            partitions.forEach(partition -> {
                consumer.add(partition, LogPosition.unread(0));
                send(producer, partition, 10, new Random(1));
            });
            consumer.pauseOnly(Set.of(partitions.get(1)));
            until(() -> {
                take(consumer, read);
                return read.size() == 2;
            });
            assertThat(read.keySet()).containsExactlyInAnyOrder(partitions.get(0), partitions.get(2));
            assertThat(consumer.paused()).containsExactly(partitions.get(1));
            assertThat(consumer.position(partitions.get(1)).offset()).isZero();

            consumer.pauseOnly(Set.of());
            until(() -> {
                take(consumer, read);
                return read.size() == 3;
            });
            assertThat(read.values()).allMatch(records -> records.size() == 10);
        }
    }

    @Tag("faults")
    @ParameterizedTest
    @EnumSource
    void poll_brokerStoppedAndStartedAgain_goesOnWhereItWas(Kafka.Reader kind) {
        TopicPartition partition = topic("restarted-" + kind).get(0);
        Map<TopicPartition, List<String>> read = new HashMap<>();
        try (PartitionReader consumer = reader(kind, properties("read_committed"))) {
            consumer.add(partition, LogPosition.unread(0));
            for (int round = 1; round <= 3; round++) {
                // Not idempotent: a broker that was restarted may give an id out again, and takes its batches for
                // repeats.
                Map<String, Object> plain = Map.of("compression.type", "lz4", "enable.idempotence", false);
                try (KafkaProducer<byte[], byte[]> producer = producer(plain)) {
                    send(producer, partition, 500, new Random(round));
                }
                int sent = 500 * round;
                until(() -> {
                    take(consumer, read);
                    return read.getOrDefault(partition, List.of()).size() >= sent;
                });
                if (round < 3) {
                    int port = kafka.port();
                    kafka.close();
                    for (int polls = 0; polls < 10; polls++) {
                        take(consumer, read); // no broker answers
                    }
                    kafka = EmbeddedKafka.start(folder, port);
                }
            }
        }
        assertThat(read.get(partition)).hasSize(1_500).doesNotHaveDuplicates();
    }

    /** The leader fails twice, and the other broker takes over. Each consumer reads from the leader, or from the broker in its rack. */
    @Tag("faults")
    @ParameterizedTest
    @CsvSource({"BATCHES, ''", "BATCHES, a", "BATCHES, b", "CONSUMER, ''"})
    void poll_leaderMoves_losesAndRepeatsNothing(Kafka.Reader kind, String rack, @TempDir Path folder)
            throws Exception {
        try (TwoBrokers brokers = new TwoBrokers(folder)) {
            TopicPartition partition = new TopicPartition("moving", 0);
            Properties properties = properties("read_committed");
            properties.put("bootstrap.servers", brokers.bootstrap());
            properties.put("client.rack", rack);
            properties.put("metadata.max.age.ms", "1000");
            Map<TopicPartition, List<String>> read = new HashMap<>();
            try (PartitionReader consumer = reader(kind, properties);
                    Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()));
                    KafkaProducer<byte[], byte[]> producer =
                            producer(Map.of("bootstrap.servers", brokers.bootstrap(), "acks", "all"))) {
                NewTopic topic = new NewTopic(partition.topic(), Map.of(0, List.of(2, 1)));
                admin.createTopics(List.of(topic.configs(Map.of("min.insync.replicas", "1"))))
                        .all()
                        .get();
                consumer.add(partition, LogPosition.unread(0));
                LogPosition first = LogPosition.unread(0);
                for (int round = 1; round <= 4; round++) {
                    send(producer, partition, 300, new Random(round));
                    int sent = 300 * round;
                    until(() -> {
                        take(consumer, read);
                        return read.getOrDefault(partition, List.of()).size() >= sent;
                    });
                    first = round == 1 ? consumer.position(partition) : first;
                    if (round % 2 == 1) {
                        brokers.stop(2);
                    } else {
                        brokers.start(2);
                        until(() -> leads(admin, partition));
                    }
                }
                // The first leader has 300 records, so a consumer that has read 301 of them has read lost ones.
                consumer.add(partition, first.at(301, first.leaderEpoch()));
                assertThatThrownBy(() -> until(() -> !consumer.poll(POLL).isEmpty()))
                        .isInstanceOf(LostPositionException.class)
                        .hasMessageStartingWith(
                                "moving-0 cannot be read on from offset 301: its brokers lost records that had been read.");
            }
            assertThat(read.get(partition)).hasSize(1_200).doesNotHaveDuplicates();
        }
    }

    /** Makes the first replica the leader again; returns false while it is not in sync. */
    private static boolean leads(Admin admin, TopicPartition partition) {
        try {
            Map<TopicPartition, Optional<Throwable>> refused = admin.electLeaders(
                            ElectionType.PREFERRED, Set.of(partition))
                    .partitions()
                    .get();
            return refused.values().stream().allMatch(Optional::isEmpty);
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource
    void wakeup_whilePolling_endsThePoll(Kafka.Reader kind) throws Exception {
        try (PartitionReader consumer = reader(kind, properties("read_committed"))) {
            if (kind == Kafka.Reader.CONSUMER) { // which refuses to poll without a partition
                consumer.add(topic("empty").get(0), LogPosition.unread(0));
            }
            for (int polls = 0; polls < 20; polls++) {
                consumer.poll(POLL); // until it knows the brokers, and no data is in flight
            }
            CompletableFuture<?> poll = CompletableFuture.runAsync(() -> consumer.poll(Duration.ofHours(1)));
            consumer.wakeup();
            Await.get(poll);
        }
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource
    void add_topicThatCannotBe_isRefused(Kafka.Reader kind) {
        try (PartitionReader consumer = reader(kind, properties("read_committed"))) {
            consumer.add(new TopicPartition("not a topic", 0), LogPosition.unread(0));
            assertThatThrownBy(() -> until(() -> !consumer.poll(POLL).isEmpty()))
                    .isInstanceOf(InvalidTopicException.class);
        }
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource
    void open_settingThatIsWrong_namesIt(Kafka.Reader kind) {
        Properties properties = properties("now_and_then");
        assertThatThrownBy(() -> reader(kind, properties))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("isolation.level");
    }
}
