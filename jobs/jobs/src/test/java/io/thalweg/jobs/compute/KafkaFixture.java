package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.io.schubfach.DoubleToDecimal;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.AvroRows;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.HexRowJson;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.KeyedRowJson;
import io.thalweg.model.row.ParsedRow;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A broker with the topics of a view, their events, and the results of a job. */
final class KafkaFixture {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Pattern TIME = Pattern.compile("\"ts\":(\\d+)");
    private static final Pattern RIDER = Pattern.compile("\"rider_id\":\"([^\"]*)\"");
    private static final Pattern CREATED = Pattern.compile(",\"created\":\"[^\"]*\"");

    private Kafka.Reader reader = Kafka.Reader.BATCHES;
    private final String bootstrap;
    private final Path folder;

    KafkaFixture(EmbeddedKafka broker, Path folder) {
        this.bootstrap = broker.bootstrap();
        this.folder = folder;
    }

    static void createTopics(EmbeddedKafka broker, FeatureView view, int partitions) {
        broker.createTopic(view.source().topics().get(0), partitions, Map.of());
        broker.createTopic(view.source().topics().get(0) + "-rows", 3, Map.of());
        broker.createTopic(view.deadLetterTopic(), 1, Map.of());
    }

    /** Distributes events to partitions; all events of a rider are in the same one, as with a producer's key. */
    static List<List<String>> spread(List<String> events, int partitions) {
        List<List<String>> spread = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            spread.add(new ArrayList<>());
        }
        for (String event : events) {
            Matcher rider = RIDER.matcher(event);
            int hash = rider.find() ? rider.group(1).hashCode() : event.hashCode();
            spread.get(Math.floorMod(hash, partitions)).add(event);
        }
        return spread;
    }

    /** Inserts undecodable events, events without a cell and very late events at random places. */
    static void spoil(List<List<String>> partitions, long seed) {
        Random random = new Random(seed);
        for (List<String> events : partitions) {
            for (int at = events.size() - 1; at > 20; at -= 20 + random.nextInt(20)) {
                String event = events.get(at);
                events.add(
                        at,
                        switch (random.nextInt(3)) {
                            case 0 -> event.substring(0, event.length() / 2);
                            case 1 -> event.replace("\"lat\":", "\"lat\":9");
                            default ->
                                TIME.matcher(event)
                                        .replaceAll("\"ts\":" + (timeMs(event) - 200_000 - random.nextInt(200_000)));
                        });
            }
        }
    }

    /** Adds an event to each partition that {@code where} skips, so that it moves the partition's clock and nothing else. */
    static void mark(List<List<String>> partitions, long timeMs) {
        partitions.forEach(events -> events.add(marker(timeMs)));
    }

    static String marker(long timeMs) {
        return "{\"event_type\":\"cancel\",\"ts\":" + timeMs + "}";
    }

    static long timeMs(String event) {
        Matcher time = TIME.matcher(event);
        return time.find() ? Long.parseLong(time.group(1)) : CityEvents.START_MS;
    }

    void produce(FeatureView view, List<List<String>> partitions) {
        try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
            for (int p = 0; p < partitions.size(); p++) {
                send(producer, view, p, partitions.get(p));
            }
        }
    }

    /** Sends events to one partition and waits until the broker acknowledges them. */
    void send(KafkaProducer<byte[], byte[]> producer, FeatureView view, int partition, List<String> events) {
        for (String event : events) {
            byte[] value = event.getBytes(StandardCharsets.UTF_8);
            var unused = producer.send(
                    new ProducerRecord<>(view.source().topics().get(0), partition, timeMs(event), null, value));
        }
        producer.flush();
    }

    KafkaProducer<byte[], byte[]> transactionalProducer() {
        return producer(Map.of("transactional.id", "upstream"));
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(more);
        properties.put("bootstrap.servers", bootstrap);
        properties.put("linger.ms", "5");
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    StreamExecutionEnvironment environment(int parallelism, @Nullable Path resumeFrom) {
        return EmbeddedFlink.live(
                parallelism,
                StatePath.of(folder.resolve("checkpoints")),
                Duration.ofMillis(200),
                resumeFrom == null ? null : StatePath.of(resumeFrom));
    }

    /** Sets how jobs read topics. */
    KafkaFixture reading(Kafka.Reader kind) {
        reader = kind;
        return this;
    }

    ComputeJob job(String deployment, List<FeatureView> views, ClockSpec clock, boolean resumed) {
        return job(deployment, views, clock, resumed ? SourceNames.of(views, Map.of()) : Map.of());
    }

    ComputeJob job(String deployment, List<FeatureView> views, ClockSpec clock, Map<String, String> resumedReads) {
        return new ComputeJob(
                UUID.randomUUID().toString(),
                deployment,
                views,
                new ComputeJob.Topics(
                        Map.of("default", Map.of("bootstrap.servers", bootstrap)),
                        reader == Kafka.Reader.CONSUMER ? Set.of("default") : Set.of()),
                LookupSources.files(),
                null,
                clock,
                resumedReads,
                Map.of());
    }

    JobClient start(int parallelism, @Nullable Path resumeFrom, ComputeJob job) throws Exception {
        StreamExecutionEnvironment environment = environment(parallelism, resumeFrom);
        job.addTo(environment);
        return environment.executeAsync();
    }

    /** The content of a view's row topic. */
    static final class Rows {
        /** As sorted JSON lines without {@code created}; repeats included. */
        final List<String> lines = new ArrayList<>();

        final Map<Integer, Long> progress = new HashMap<>();
        private final Map<Integer, Integer> partitionOfShard = new HashMap<>();
        /** Early rows of keyed views, in the order of their arrival. */
        final List<String> partial = new ArrayList<>();

        private final FeatureView view;
        private final Decoding decoding;
        private final boolean repeatsAllowed;

        private Rows(FeatureView view, boolean repeatsAllowed) {
            this.view = view;
            this.repeatsAllowed = repeatsAllowed;
            decoding = view.isKeyed() ? new OfKeys() : new OfRings();
        }

        /** Decodes the rows of a record. */
        private interface Decoding {
            void take(ConsumerRecord<byte[], byte[]> record);
        }

        private void take(ConsumerRecord<byte[], byte[]> record) {
            Progress done = ProgressJson.parse(record.value());
            if (done == null) {
                decoding.take(record);
                return;
            }
            at(done.shard(), record.partition());
            assertThat(done.shards()).isEqualTo(Shards.COUNT);
            long before = progress.getOrDefault(done.shard(), Long.MIN_VALUE);
            assertThat(repeatsAllowed || done.windowEndMs() >= before)
                    .as("progress of shard %d steps back", done.shard())
                    .isTrue();
            progress.merge(done.shard(), done.windowEndMs(), Math::max);
        }

        private static String withoutCreated(byte[] value) {
            return CREATED.matcher(new String(value, StandardCharsets.UTF_8)).replaceAll("");
        }

        /** Decodes rows of a view with rings. */
        private final class OfRings implements Decoding {
            private final HexRowCodec packed = new HexRowCodec(view);
            private final HexRowJson json = new HexRowJson(view);
            private final BinaryMessageDecoder<GenericRecord> avro =
                    new BinaryMessageDecoder<>(GenericData.get(), new Schema.Parser().parse(AvroRows.schemaJson(view)));

            @Override
            public void take(ConsumerRecord<byte[], byte[]> record) {
                byte[] value = record.value();
                if ((value[0] & 0xff) == HexRowCodec.BLOCK_MAGIC) {
                    HexRowBlock block = packed.decodeBlock(value);
                    for (int row = 0; row < block.rows(); row++) {
                        String line = new String(json.value(block, row), StandardCharsets.UTF_8);
                        row(block.cells()[row], block.windowEndMs(), line, record);
                    }
                } else if ((value[0] & 0xff) == 0xC3) {
                    GenericRecord row = avro(value);
                    row(
                            Long.parseUnsignedLong(row.get("cell").toString(), 16),
                            (Long) row.get("window_end"),
                            line(row),
                            record);
                } else {
                    String line = withoutCreated(value);
                    int cell = line.indexOf("\"cell\":\"") + 8;
                    int end = line.indexOf("\"window_end\":\"") + 14;
                    row(
                            Long.parseUnsignedLong(line.substring(cell, line.indexOf('"', cell)), 16),
                            Instant.parse(line.substring(end, line.indexOf('"', end)))
                                    .toEpochMilli(),
                            line,
                            record);
                }
            }

            private GenericRecord avro(byte[] value) {
                try {
                    return avro.decode(value);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            private String line(GenericRecord row) {
                GenericRecord features = (GenericRecord) row.get("features");
                return "{\"view\":\"%s\",\"cell\":\"%s\",\"product\":\"%s\",\"window_end\":\"%s\",\"finality\":\"%s\",\"features\":{%s}}"
                        .formatted(
                                view.qualifiedName(),
                                row.get("cell"),
                                row.get("product"),
                                Instant.ofEpochMilli((Long) row.get("window_end")),
                                row.get("finality"),
                                view.featureNames().stream()
                                        .map(name -> "\"" + name + "\":"
                                                + DoubleToDecimal.toString((Double) features.get(name)))
                                        .collect(Collectors.joining(",")));
            }

            private void row(long cell, long windowEndMs, String line, ConsumerRecord<byte[], byte[]> record) {
                int shard = Shards.of(HexTiling.of(view.cell().resolution()).tile(cell));
                place(shard, windowEndMs, line, record);
                lines.add(line);
            }
        }

        /** Decodes rows of a keyed view. */
        private final class OfKeys implements Decoding {
            private final KeyedRowCodec packed = new KeyedRowCodec(view);
            private final KeyedRowJson json = new KeyedRowJson(view);
            private final KeyCodec keys = new KeyCodec(view);

            @Override
            public void take(ConsumerRecord<byte[], byte[]> record) {
                byte[] value = record.value();
                if ((value[0] & 0xff) == KeyedRowCodec.BLOCK_MAGIC) {
                    KeyedRowBlock block = packed.decodeBlock(value);
                    for (int row = 0; row < block.rows(); row++) {
                        row(new String(json.value(block, row), StandardCharsets.UTF_8), record);
                    }
                } else {
                    row(withoutCreated(value), record);
                }
            }

            private void row(String line, ConsumerRecord<byte[], byte[]> record) {
                ParsedRow row = json.parse(line.getBytes(StandardCharsets.UTF_8));
                int shard = shard(List.copyOf(row.entities().values()));
                if (row.finality() == Finality.FINAL) {
                    place(shard, row.windowEndMs(), line, record);
                    lines.add(line);
                } else {
                    // With transactions, another producer writes them, so only the order rule decides which row is
                    // newer.
                    at(shard, record.partition());
                    partial.add(line);
                }
            }

            private int shard(List<Object> key) {
                return Shards.of(
                        switch (keys.form()) {
                            case LONG -> KeyWord.of(keys.low(key));
                            case PAIR -> KeyWord.of(keys.high(key), keys.low(key));
                            case BYTES -> KeyWord.of(keys.bytes(key));
                        });
            }
        }

        private void place(int shard, long windowEndMs, String line, ConsumerRecord<byte[], byte[]> record) {
            at(shard, record.partition());
            assertThat(record.timestamp()).isEqualTo(windowEndMs);
            assertThat(repeatsAllowed || windowEndMs > progress.getOrDefault(shard, Long.MIN_VALUE))
                    .as("a row behind its shard's progress: %s", line)
                    .isTrue();
        }

        private void at(int shard, int partition) {
            assertThat(partitionOfShard.putIfAbsent(shard, partition)).isIn(null, partition);
        }

        boolean reached(long windowEndMs) {
            return progress.size() == Shards.COUNT && progress.values().stream().allMatch(end -> end >= windowEndMs);
        }
    }

    /** Reads rows until there are enough of them. */
    Rows rows(FeatureView view, String isolation, Predicate<Rows> enough) {
        Rows rows = new Rows(view, true);
        read(isolation, view.source().topics().get(0) + "-rows", 3, new Reading() {
            @Override
            public void take(ConsumerRecord<byte[], byte[]> record) {
                rows.take(record);
            }

            @Override
            public boolean isDone() {
                return enough.test(rows);
            }
        });
        return rows;
    }

    /** Reads committed rows until the progress of every shard reaches a window end. */
    Rows rows(FeatureView view, long untilMs, boolean repeatsAllowed) {
        Rows rows = new Rows(view, repeatsAllowed);
        read("read_committed", view.source().topics().get(0) + "-rows", 3, new Reading() {
            @Override
            public void take(ConsumerRecord<byte[], byte[]> record) {
                String of = viewOf(record.value());
                if (of == null || rows.view.qualifiedName().equals(of)) {
                    rows.take(record);
                }
            }

            @Override
            public boolean isDone() {
                return rows.reached(untilMs);
            }
        });
        rows.lines.sort(null);
        return rows;
    }

    /** Returns the view in a JSON value; null if the value is not JSON. */
    private static @Nullable String viewOf(byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8);
        int from = text.indexOf("\"view\":\"") + 8;
        return from < 8 ? null : text.substring(from, text.indexOf('"', from));
    }

    /** Reads dead letters until there are as many as expected; sorted. */
    List<String> deadLetters(FeatureView view, int expected) {
        List<String> letters = new ArrayList<>();
        read("read_committed", view.deadLetterTopic(), 1, new Reading() {
            @Override
            public void take(ConsumerRecord<byte[], byte[]> record) {
                letters.add(new String(record.value(), StandardCharsets.UTF_8));
            }

            @Override
            public boolean isDone() {
                return letters.size() >= expected;
            }
        });
        letters.sort(null);
        return letters;
    }

    private interface Reading {
        void take(ConsumerRecord<byte[], byte[]> record);

        boolean isDone();
    }

    /** Reads a topic from its start, and a little past the expected records, to detect unexpected ones. */
    private void read(String isolation, String topic, int partitions, Reading reading) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation, "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            Set<TopicPartition> all = new HashSet<>();
            for (int p = 0; p < partitions; p++) {
                all.add(new TopicPartition(topic, p));
            }
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            int seen = 0;
            for (int quiet = 0; quiet < 3; ) {
                int before = seen;
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    reading.take(record);
                    seen++;
                }
                quiet = reading.isDone() && seen == before ? quiet + 1 : 0;
                assertThat(System.nanoTime())
                        .as("what was awaited from %s is not there after %s; %d records are", topic, PATIENCE, seen)
                        .isLessThan(deadline);
            }
        }
    }
}
