package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Faults around a live run: it reports a line and an exit code, or continues without loss. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
class KafkaTroubleIT {
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path brokerFolder;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedKafka kafka;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeAll
    static void startBroker() {
        kafka = EmbeddedKafka.start(brokerFolder.resolve("kafka"), 0);
        for (String topic : List.of("events", "strict-events")) {
            kafka.createTopic(topic, 1, Map.of("max.message.bytes", String.valueOf(12 << 20)));
        }
    }

    @AfterAll
    static void stopBroker() {
        kafka.close();
    }

    @Test
    void run_topicMissing_oneLineNamesThoseThereAre() throws Exception {
        CommandRun run = run(view("evnets", ""), kafka.bootstrap(), FreePorts.next());
        assertFailed(
                run, 1, "topic evnets does not exist at " + kafka.bootstrap(), "there are: events", "strict-events");
    }

    @Test
    void run_unknownCluster_oneLine() throws Exception {
        CommandRun run = run(view("events", "  kafka: other\n"), kafka.bootstrap(), FreePorts.next());
        assertFailed(run, 2, "kafka cluster 'other' is not in thalweg.yaml");
    }

    @Test
    void run_csvFromKafka_refused() throws Exception {
        Path view = view("events", "");
        Files.writeString(view, Files.readString(view).replaceFirst("format: json", "format: csv"));
        assertFailed(run(view, kafka.bootstrap(), FreePorts.next()), 2, "csv is for files");
    }

    @Test
    void run_portBusy_oneLine() throws Exception {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = run(view("events", ""), kafka.bootstrap(), busy.getLocalPort());
            assertFailed(run, 1, "server.port " + busy.getLocalPort() + " is in use");
        }
    }

    @Test
    void run_onBadEventFail_endsTheJobWithOneLine() throws Exception {
        send(Map.of(), List.of(new ProducerRecord<>("strict-events", "not json".getBytes(StandardCharsets.UTF_8))));
        Path view = view("strict-events", "");
        Files.writeString(view, Files.readString(view) + "on_bad_event: fail\n");
        assertFailed(run(view, kafka.bootstrap(), FreePorts.next()), 1, "on_bad_event: fail", "undecodable");
    }

    /** One long run through all faults that must not end it, because each start takes seconds. */
    @Test
    void run_tombstoneHugeRecordAndBrokerAway_goesOnAndNothingIsLost() throws Exception {
        Path view = view("events", "");
        int port = FreePorts.next();
        Path config = config(kafka.bootstrap(), port);
        send(Map.of("max.request.size", 11 << 20), List.of(new ProducerRecord<>("events", null), huge()));
        long pastMs = System.currentTimeMillis() - 60_000;
        sendRiders(20, pastMs);
        try (Subprocess live = Launched.start(folder, "run", view.getFileName(), "--config", config.getFileName())) {
            List<JsonNode> letters = read("events-dead", read -> !read.isEmpty());
            assertThat(letters)
                    .as("a tombstone is no dead letter")
                    .extracting(letter -> letter.get("reason").asText())
                    .containsExactly("too_large");
            assertThat(ridersInRows(20)).isEqualTo(20);

            CommandRun second = run(view, kafka.bootstrap(), FreePorts.next());
            assertFailed(second, 1, "is in use by another process");

            int brokerPort = kafka.port();
            kafka.close();
            live.awaitLine("Kafka at 127.0.0.1:" + brokerPort + " does not answer", PATIENCE);
            assertThat(live.isAlive()).isTrue();
            kafka = EmbeddedKafka.start(brokerFolder.resolve("kafka"), brokerPort);
            // Ahead of the clock, so that the events are not late even on a slow machine.
            sendRiders(30, System.currentTimeMillis() + 10_000);
            assertThat(ridersInRows(50)).as(String.join("\n", live.stderr())).isEqualTo(50);
            live.awaitLine("Kafka at 127.0.0.1:" + brokerPort + " answers again", PATIENCE);
            assertThat(live.stderr().stream().filter(line -> line.contains("Kafka at")))
                    .as("each change is reported once")
                    .hasSize(2);

            Launched.interrupt(live);
            assertThat(live.awaitExit(PATIENCE)).as(live.stderr().toString()).isZero();
            assertThat(live.stderr())
                    .noneMatch(line -> line.contains("\tat "))
                    .filteredOn(line -> line.contains("are on one disk"))
                    .hasSize(1);
        }
    }

    private static ProducerRecord<byte[], byte[]> huge() {
        return new ProducerRecord<>("events", "x".repeat(10 << 20).getBytes(StandardCharsets.UTF_8));
    }

    /** Sends events of different riders, so that the counts of all rows add up to the events. */
    private static void sendRiders(int count, long timeMs) throws Exception {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String event = "{\"rider_id\":\"%s\",\"lat\":40.7%d,\"lng\":-74,\"ts\":%d}"
                    .formatted(UUID.randomUUID(), i, timeMs + i);
            records.add(new ProducerRecord<>("events", event.getBytes(StandardCharsets.UTF_8)));
        }
        send(Map.of(), records);
    }

    private static void send(Map<String, Object> settings, List<ProducerRecord<byte[], byte[]>> records)
            throws Exception {
        Map<String, Object> properties = new HashMap<>(settings);
        properties.put("bootstrap.servers", kafka.bootstrap());
        try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (ProducerRecord<byte[], byte[]> record : records) {
                producer.send(record).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    /** Counts riders in all rows, each row once however often it arrived. Returns as soon as it has counted this many. */
    private static long ridersInRows(long wanted) throws IOException {
        return sum(read("features", rows -> sum(rows) >= wanted));
    }

    private static long sum(List<JsonNode> rows) {
        Map<String, Double> once = new HashMap<>();
        for (JsonNode row : rows) {
            once.put(
                    row.get("cell").asText() + row.get("window_end").asText(),
                    row.get("features").get("k0_5s").asDouble());
        }
        return Math.round(
                once.values().stream().mapToDouble(Double::doubleValue).sum());
    }

    /** Reads a topic from its beginning until enough is read; fails if that does not happen. */
    private static List<JsonNode> read(String topic, Predicate<List<JsonNode>> enough) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<JsonNode> read = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", kafka.bootstrap(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (!enough.test(read)) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("not enough in " + topic + " within " + PATIENCE + ": " + read);
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    JsonNode row = row(json, record.value());
                    if (row != null) {
                        read.add(row);
                    }
                }
            }
        }
        return read;
    }

    /** Parses a row; returns null for progress records among the rows. */
    private static @Nullable JsonNode row(ObjectMapper json, byte @Nullable [] value) throws IOException {
        JsonNode node = value == null ? null : json.readTree(value);
        return node != null && (node.has("features") || node.has("reason")) ? node : null;
    }

    private CommandRun run(Path view, String bootstrap, int port) throws IOException {
        return CommandRun.of("run", view, "--config", config(bootstrap, port), "--quiet");
    }

    private Path config(String bootstrap, int port) throws IOException {
        return Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: trouble
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: %s, every: 1s}
                store: {type: rocksdb, path: %s}
                server: {bind: 127.0.0.1, port: %d}
                """.formatted(
                        bootstrap, folder.resolve("checkpoints"), folder.resolve("store"), port));
    }

    private Path view(String topic, String more) throws IOException {
        return Files.writeString(folder.resolve("view.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: riders
                source:
                  topic: %s
                %s  start: earliest
                  format: json
                  event_time: {field: ts, unit: ms}
                  max_out_of_orderness: 1s
                  idle_after: 2s
                entities: [{name: cell, h3: {lat: lat, lng: lng, resolution: 9}}]
                measure: {count_distinct: rider_id, type: uuid}
                rings: [0]
                windows: {sizes: [5s], every: 5s}
                dead_letters: {topic: %s-dead}
                sink: {topic: features, format: json, delivery: at_least_once}
                online: {ttl: 10m}
                """.formatted(topic, more, topic));
    }

    private static void assertFailed(CommandRun run, int exit, String... parts) {
        assertThat(run.exit()).as(run.err()).isEqualTo(exit);
        assertThat(run.failures()).as(run.err()).hasSize(1);
        assertThat(run.err()).doesNotContain("\tat ").contains(parts);
    }
}
