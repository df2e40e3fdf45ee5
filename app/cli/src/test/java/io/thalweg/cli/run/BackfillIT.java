package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.devkit.CassandraProcess;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisServer;

/** A file is loaded into the store: it answers as of the file's last event, before and after a run from Kafka. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class BackfillIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final long EVERY_MS = 5_000;
    /** A view with rings has means per pane. */
    private static final double PANES = 720;

    private static final String CELL = "892a1008987ffff";

    /** Both views count the events of the last hour, per user and per hexagon and pane. */
    private static final String VIEWS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: orders
            source: {topic: orders, start: earliest, event_time: {field: ts}, max_out_of_orderness: 1s, idle_after: 2s}
            entities: [{name: user, field: user}]
            measure: {count: all}
            windows: {sizes: [1h], every: 5s}
            online: {ttl: 2h}
            sink: {topic: order-rows}
            ---
            apiVersion: thalweg/v1
            kind: FeatureView
            name: places
            source: {topic: orders, start: earliest, event_time: {field: ts}, max_out_of_orderness: 1s, idle_after: 2s}
            entities: [{name: cell, h3: {cell: cell, resolution: 9}}]
            measure: {count: all}
            rings: [0]
            windows: {sizes: [1h], every: 5s}
            online: {ttl: 2h}
            sink: {topic: place-rows}
            """;

    @TempDir
    Path folder;

    private String port;
    private ServedViews served;

    @BeforeEach
    void writeFiles() throws IOException {
        String[] views = VIEWS.split("---\n", -1);
        Files.writeString(folder.resolve("orders.yaml"), views[0]);
        Files.writeString(folder.resolve("places.yaml"), views[1]);
        int free = FreePorts.next();
        port = String.valueOf(free);
        served = new ServedViews(free);
    }

    private void deploy(String store, String kafka) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                kafka: {default: {bootstrap: "%s"}}
                store: %s
                checkpoints: {dir: checkpoints, every: 250ms}
                views: [orders.yaml, places.yaml]
                server: {admin_port: 0}
                """.formatted(kafka, store));
    }

    private static String event(String user, long timeMs) {
        return "{\"user\":\"%s\",\"cell\":\"%s\",\"ts\":%d}".formatted(user, CELL, timeMs);
    }

    /** Writes a number of events of a user, one a second, the last one at a time. */
    private Path file(String name, String user, int events, long lastMs) throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = events - 1; i >= 0; i--) {
            lines.add(event(user, lastMs - 1_000L * i));
        }
        return Files.write(folder.resolve(name), lines);
    }

    private Subprocess load(Path file, Object... more) {
        List<Object> command = new ArrayList<>(
                List.of("run", "orders", "places", "--input", file, "--output", "rows.jsonl", "--store", "--quiet"));
        command.addAll(List.of(more));
        return Launched.start(folder, command.toArray());
    }

    private void loaded(Path file) throws InterruptedException {
        try (Subprocess load = load(file)) {
            assertThat(load.awaitExit(PATIENCE)).as(load.stderr().toString()).isZero();
        }
    }

    /** Returns the first window end after an event. */
    private static Instant endAfter(long eventMs) {
        return Instant.ofEpochMilli((Math.floorDiv(eventMs, EVERY_MS) + 1) * EVERY_MS);
    }

    private JsonNode read(String view, String key) throws IOException, InterruptedException {
        return served.read(view, "{\"entities\":[" + key + "]}");
    }

    private JsonNode order(String user) throws IOException, InterruptedException {
        return read("orders", "{\"user\":\"" + user + "\"}").path("rows").get(0);
    }

    private JsonNode place() throws IOException, InterruptedException {
        return read("places", "{\"cell\":\"" + CELL + "\"}").path("rows").get(0);
    }

    private static void assertRow(JsonNode row, double value, Instant end) {
        assertThat(row.path("status").asText()).as(row.toString()).isEqualTo("PRESENT");
        assertThat(row.path("values").get(0).asDouble()).as(row.toString()).isEqualTo(value);
        assertThat(row.path("window_end").asText()).isEqualTo(end.toString());
        assertThat(row.path("age_ms").asLong()).as(row.toString()).isNotNegative();
    }

    /** The events are a year old, so the server's clock must be that of the file. */
    @Tag("test")
    @Test
    void run_fileIntoTheStoreServed_answersAsOfTheLastEvent() throws Exception {
        deploy("{type: rocksdb, path: store}", "127.0.0.1:1");
        long lastMs = Instant.parse("2025-11-29T12:00:07Z").toEpochMilli();
        List<String> lines = new ArrayList<>(Files.readAllLines(
                file("first", "early", 3, lastMs - Duration.ofMinutes(50).toMillis())));
        lines.addAll(Files.readAllLines(file("second", "late", 20, lastMs)));
        Path file = Files.write(folder.resolve("events.jsonl"), lines);
        Instant end = Instant.parse("2025-11-29T12:00:10Z");

        try (Subprocess run = load(file, "--serve", "--port", port)) {
            run.awaitLine("serving http://127.0.0.1:" + port, PATIENCE);

            assertRow(order("early"), 3, end);
            assertRow(order("late"), 20, end);
            assertRow(place(), 23 / PANES, end);
            assertThat(served.watermark("orders")).isEqualTo(end.toString());
            assertThat(served.watermark("places")).isEqualTo(end.toString());
            assertThat(HttpOne.get(Integer.parseInt(port), "/readyz")).startsWith("{\"status\":\"OK\"");
            run.signal(Subprocess.Signal.TERM);
            assertThat(run.awaitExit(PATIENCE)).isZero();
        }

        assertThat(Files.readAllLines(folder.resolve("rows.jsonl")))
                .as("the output has the rows after the last event, too")
                .anyMatch(row -> row.contains("2025-11-29T12:30:00Z"));
    }

    @Tag("faults")
    @Test
    void run_filesAndTheTopicInTurns_serveTheNewestRows() throws Exception {
        takeTurns("rocksdb");
    }

    /** The same over the stores of several processes, which the next test covers in part. */
    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"redis", "cassandra"})
    void run_filesAndTheTopicInTurns_serveTheNewestRowsOfASharedStore(String kind) throws Exception {
        takeTurns(kind);
    }

    /** A file, then the topic, then the file of the day before, then the topic again after a restart. */
    private void takeTurns(String kind) throws Exception {
        try (Server store = Server.start(kind, folder);
                EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic("orders", 1, Map.of());
            deploy(store.config(), kafka.bootstrap());
            long beganMs = System.currentTimeMillis();
            long fileMs = beganMs - Duration.ofMinutes(40).toMillis();
            loaded(file("backfill.jsonl", "u1", 7, fileMs));

            try (Subprocess run = live()) {
                assertRow(order("u1"), 7, endAfter(fileMs));
                assertRow(place(), 7 / PANES, endAfter(fileMs));
                send(kafka, "u1", 2, beganMs - 60_000);
                await(() -> order("u1"), 2, endAfter(beganMs - 60_000));
                await(this::place, 2 / PANES, endAfter(beganMs - 60_000));
                stop(run);
            }

            loaded(file("older.jsonl", "u1", 5, beganMs - Duration.ofHours(24).toMillis()));

            try (Subprocess run = live()) {
                assertThat(order("u1").path("values").get(0).asDouble()).isEqualTo(2);
                // Ahead of the clock, so that the event is not late even on a slow machine.
                send(kafka, "u2", 1, System.currentTimeMillis() + 10_000);
                await(() -> order("u2"), 1, endAfter(beganMs));
                await(this::place, 3 / PANES, endAfter(beganMs));
                assertThat(order("u1").path("values").get(0).asDouble()).isEqualTo(2);
                assertThat(HttpOne.get(Integer.parseInt(port), "/readyz")).startsWith("{\"status\":\"OK\"");
                stop(run);
            }
        }
    }

    /** Rows in the topic of a run are published over the rows of a file, and the other way round. */
    @Tag("faults")
    @Test
    void publish_overAFileAndUnderIt_servesTheNewestRows() throws Exception {
        try (Server store = Server.start("redis", folder);
                EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic("orders", 1, Map.of());
            deploy(store.config(), kafka.bootstrap());
            long beganMs = System.currentTimeMillis();
            send(kafka, "u1", 2, beganMs - 60_000);
            try (Subprocess run = live()) {
                await(() -> order("u1"), 2, endAfter(beganMs - 60_000));
                await(this::place, 2 / PANES, endAfter(beganMs - 60_000));
                stop(run);
            }
            store.empty();

            long fileMs = beganMs - Duration.ofMinutes(40).toMillis();
            Path file = file("backfill.jsonl", "u1", 7, fileMs);
            loaded(file);
            publish();
            assertNewest();
            loaded(file);
            assertNewest();
        }
    }

    private void publish() throws InterruptedException {
        try (Subprocess publish = Launched.start(folder, "publish", "orders", "places", "--once")) {
            assertThat(publish.awaitExit(PATIENCE))
                    .as(publish.stderr().toString())
                    .isZero();
        }
    }

    private void assertNewest() throws Exception {
        try (Subprocess serve = Launched.start(folder, "serve", "--port", port)) {
            serve.awaitLine("serving http://127.0.0.1:" + port, PATIENCE);
            assertThat(order("u1").path("values").get(0).asDouble()).isEqualTo(2);
            assertThat(place().path("values").get(0).asDouble()).isEqualTo(2 / PANES);
        }
    }

    private Subprocess live() {
        Subprocess run = Launched.start(folder, "run", "orders", "places", "--serve", "--port", port);
        run.awaitLine("serving http://127.0.0.1:" + port, PATIENCE);
        return run;
    }

    private static void stop(Subprocess run) throws InterruptedException {
        Launched.interrupt(run);
        assertThat(run.awaitExit(PATIENCE)).as(run.stderr().toString()).isZero();
    }

    /** Sends all events in one batch, so that a pause between them does not make the later ones late. */
    private static void send(EmbeddedKafka kafka, String user, int times, long timeMs) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", kafka.bootstrap(), "linger.ms", 60_000),
                new StringSerializer(),
                new StringSerializer())) {
            List<Future<?>> sent = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                sent.add(producer.send(new ProducerRecord<>("orders", event(user, timeMs))));
            }
            producer.flush();
            for (Future<?> each : sent) {
                each.get();
            }
        }
    }

    private interface Read {
        JsonNode row() throws Exception;
    }

    private static void await(Read read, double value, Instant from) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        JsonNode row = read.row();
        while (!row.path("values").path(0).isNumber()
                || row.path("values").get(0).asDouble() != value
                || Instant.parse(row.path("window_end").asText()).isBefore(from)) {
            assertThat(System.nanoTime()).as(row.toString()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
            row = read.row();
        }
    }

    /** The store of a test. */
    private record Server(String config, Closeable process, Closeable content) implements AutoCloseable {
        static Server start(String kind, Path folder) throws IOException {
            int port = FreePorts.next();
            return switch (kind) {
                case "redis" -> {
                    RedisServer redis = RedisServer.newRedisServer()
                            .port(port)
                            .setting("save \"\"")
                            .build();
                    redis.start();
                    RedisWire wire = new RedisWire(port);
                    yield new Server(
                            "{type: redis, uri: \"redis://127.0.0.1:%d\", project: market}".formatted(port),
                            redis::stop,
                            () -> wire.say("FLUSHALL"));
                }
                case "cassandra" -> {
                    CassandraProcess cassandra = CassandraProcess.start(
                            Files.createDirectory(folder.resolve("cassandra")),
                            Checkout.file("storage/store-cassandra/server/target/lib"),
                            FreePorts::next);
                    yield new Server(
                            "{type: cassandra, contact_points: [\"127.0.0.1:%d\"], keyspace: market, user: cassandra, password: cassandra}"
                                    .formatted(cassandra.port()),
                            cassandra::close,
                            () -> {});
                }
                default -> new Server("{type: rocksdb, path: store}", () -> {}, () -> {});
            };
        }

        void empty() throws IOException {
            content.close();
        }

        @Override
        public void close() throws IOException {
            process.close();
        }
    }
}
