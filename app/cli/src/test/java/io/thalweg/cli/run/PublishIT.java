package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Checkpoints;
import io.thalweg.runner.SmallViews;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ReadRows;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.store.StoreKey;
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** {@code thalweg publish}: the rows in Kafka can be read from the store, whatever happens on the way. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class PublishIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final long END = 1_451_671_260_000L;
    /** The number of rows per hash for these cells, which use all eight values of a digit. */
    private static final int HASH_ROWS = 64;

    private static EmbeddedKafka kafka;
    private static KafkaProducer<byte[], byte[]> producer;
    private static RedisServer redis;
    private static RedisWire wire;

    @TempDir
    static Path redisFolder;

    @TempDir
    Path folder;

    @BeforeAll
    static void startServers() throws IOException {
        kafka = EmbeddedKafka.start();
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
        wire = new RedisWire(FreePorts.next());
        redis = RedisServer.newRedisServer()
                .port(wire.port())
                .setting("save \"\"")
                .setting("appendonly yes")
                .setting("dir " + redisFolder)
                .build();
        redis.start();
    }

    @AfterAll
    static void stopServers() throws IOException {
        producer.close();
        kafka.close();
        redis.stop();
    }

    @BeforeEach
    void empty() throws IOException {
        wire.say("FLUSHALL");
    }

    private void deploymentConfig(String load) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                kafka: {default: {bootstrap: "%s"}}
                store: {type: redis, uri: "redis://127.0.0.1:%d", project: market}
                checkpoints: {dir: %s, every: 250ms}
                server: {admin_port: 0}
                load: {%s}
                """.formatted(
                        kafka.bootstrap(), wire.port(), folder.resolve("checkpoints"), load));
    }

    private FeatureView bulkView(String topic) throws IOException {
        String yaml = BulkRows.yaml(topic);
        Files.writeString(folder.resolve("bulk.yaml"), yaml);
        kafka.createTopic(topic, 2, Map.of());
        return Definitions.parse(yaml, "bulk.yaml").views().get(0);
    }

    /** Sends blocks without common cells, each followed by the progress of both shards. */
    private static void sendBulk(FeatureView view, String topic, int fromBlock, int toBlock) {
        HexRowCodec packed = new HexRowCodec(view);
        for (int b = fromBlock; b < toBlock; b++) {
            HexRowBlock block = BulkRows.block(b, b % 2, end(b));
            send(topic, b % 2, packed.encodeBlock(block, 5), block.windowEndMs());
            for (int shard = 0; shard < 2; shard++) {
                send(topic, shard, ProgressJson.value(new Progress("demand", shard, 2, end(b))), end(b));
            }
        }
        producer.flush();
    }

    private static long end(int block) {
        return END + 60_000L * block;
    }

    private static void send(String topic, int partition, byte[] value, long timestampMs) {
        var unused = producer.send(new ProducerRecord<>(topic, partition, timestampMs, null, value));
    }

    /** Requires every row of the blocks, except those whose key is occupied by other data. */
    private static void assertBulk(FeatureView view, int blocks, Set<Integer> missing) {
        List<Integer> present = IntStream.range(0, blocks * BulkRows.BLOCK_ROWS)
                .filter(i -> !missing.contains(i))
                .boxed()
                .toList();
        List<StoreKey> keys = present.stream()
                .map(i -> new StoreKey(BulkRows.cell(i), List.of()))
                .toList();
        try (OnlineStore store = openRedis()) {
            List<@Nullable StoredRow> rows = store.read(view, keys).rows();
            for (int at = 0; at < rows.size(); at++) {
                StoredRow row = rows.get(at);
                int i = present.get(at);
                assertThat(row).as("row %d", i).isNotNull();
                assertThat(((StoredRow.OfSums) row).sums()).as("row %d", i).containsExactly(i % 11 + 1, i % 11 + 12);
                assertThat(row.windowEndMs()).as("row %d", i).isEqualTo(end(i / BulkRows.BLOCK_ROWS));
            }
            assertThat(store.watermark("demand")).hasValue(end(blocks - 1));
        }
    }

    private static OnlineStore openRedis() {
        return RedisOnlineStore.open(URI.create("redis://127.0.0.1:" + wire.port()), "market", Clock.systemUTC());
    }

    private CommandRun publishOnce(String view) {
        CommandRun run = CommandRun.of(
                "publish",
                folder.resolve(view),
                "--config",
                folder.resolve("thalweg.yaml"),
                "--once",
                "--resume",
                "none");
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }

    @Tag("faults")
    @Test
    void publish_killedInTheMidstAndStartedAgain_leavesWhatAnUndisturbedOneDoes() throws Exception {
        int blocks = 200;
        FeatureView view = bulkView("killed");
        sendBulk(view, "killed", 0, blocks);
        deploymentConfig("batch_rows: 4, in_flight: 1");
        long killedAt;
        try (Subprocess killed = Launched.start(folder, "publish", "bulk.yaml")) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while ((wire.keys() < 200
                            || Checkpoints.in(folder.resolve("checkpoints")).isEmpty())
                    && System.nanoTime() < deadline) {
                assertThat(killed.isAlive()).as(killed.stderr().toString()).isTrue();
                TimeUnit.MILLISECONDS.sleep(5);
            }
            killed.signal(Subprocess.Signal.KILL);
            killed.awaitExit(PATIENCE);
            killedAt = wire.keys();
        }
        assertThat(killedAt).isGreaterThanOrEqualTo(200).isLessThan(blocks * BulkRows.BLOCK_ROWS / HASH_ROWS);

        deploymentConfig("batch_rows: 1000");
        try (Subprocess resumed = Launched.start(folder, "publish", "bulk.yaml", "--parallelism", "2")) {
            resumed.awaitLine("resuming from .*chk-.*", PATIENCE);
            awaitWatermark(resumed, end(blocks - 1));
            Launched.interrupt(resumed);
            assertThat(resumed.awaitExit(PATIENCE))
                    .as(resumed.stderr().toString())
                    .isZero();
            assertThat(resumed.stderr())
                    .anySatisfy(
                            line -> assertThat(line).matches("demand: rows=\\d+ writes=\\d+ retries=0 dead_letters=0"));
        }
        assertBulk(view, blocks, Set.of());
        String content = wire.digest();

        publishOnce("bulk.yaml");
        assertThat(wire.digest()).as("delivered again").isEqualTo(content);

        wire.say("FLUSHALL");
        CommandRun undisturbed = publishOnce("bulk.yaml");
        assertThat(undisturbed.err()).contains("rows=" + blocks * BulkRows.BLOCK_ROWS + " ");
        assertThat(wire.digest()).as("undisturbed").isEqualTo(content);
    }

    private static void awaitWatermark(Subprocess process, long endMs) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (OnlineStore store = openRedis()) {
            while (store.watermark("demand").orElse(0) < endMs) {
                assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
                assertThat(System.nanoTime()).as(process.stderr().toString()).isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    /** Uses one process, because a start takes seconds: Redis full, Redis restarted, a key of another type, records of all kinds. */
    @Tag("faults")
    @Test
    void publish_redisFullRestartedAndWrong_waitsTellsAndLosesNothing() throws Exception {
        FeatureView view = bulkView("trouble");
        sendBulk(view, "trouble", 0, 20);
        deploymentConfig("batch_rows: 1000");
        wire.say("CONFIG SET maxmemory 1");
        try (Subprocess publish = Launched.start(folder, "publish", "bulk.yaml", "--port", "0")) {
            String console =
                    publish.awaitLine("^serving .*, console ", PATIENCE).replaceFirst(".*, console ", "");
            publish.awaitLine("demand: waiting, nothing is lost: .*OOM.*; raise its maxmemory.*", PATIENCE);
            assertThat(wire.keys()).isZero();
            wire.say("CONFIG SET maxmemory 0");
            publish.awaitLine("demand: goes on", PATIENCE);
            awaitWatermark(publish, end(19));
            assertBulk(view, 20, Set.of());
            assertThat(jobs(console)).as("what thalweg tune observes").contains("\"stages\":[{");

            redis.stop();
            sendBulk(view, "trouble", 20, 40);
            publish.awaitLine(
                    "demand: waiting, nothing is lost: .* (is away|did not answer in time) .*; check .*", PATIENCE);
            redis.start();
            awaitWatermark(publish, end(39));
            assertBulk(view, 40, Set.of());

            // A hash of the block to come that no other block has rows in.
            int first = (40 * BulkRows.BLOCK_ROWS / HASH_ROWS + 1) * HASH_ROWS;
            Set<Integer> missing = new TreeSet<>();
            for (int i = first; i < first + HASH_ROWS; i++) {
                missing.add(i);
            }
            long parent = (BulkRows.cell(first) & ~(0xFL << 52)) | 7L << 52 | 63L << 18;
            wire.say("SET market:demand:" + Long.toHexString(parent) + ": surprise");
            send("trouble", 0, "{\"view\":\"supply\",\"progress\":{}}".getBytes(StandardCharsets.UTF_8), end(40));
            send("trouble", 1, new byte[] {(byte) 0xB7, 7, 7}, end(40));
            sendBulk(view, "trouble", 40, 41);
            awaitWatermark(publish, end(40));
            assertBulk(view, 41, missing);
            List<JsonNode> letters = letters("trouble-dead", missing.size() + 2);
            assertThat(letters)
                    .filteredOn(letter -> letter.get("reason").asText().equals("refused"))
                    .hasSameSizeAs(missing)
                    .allSatisfy(letter -> {
                        assertThat(letter.get("detail").asText()).contains("WRONGTYPE", "store.project");
                        assertThat(letter.get("source").asText()).isEqualTo("trouble");
                        assertThat(letter.get("raw").asText()).contains("\"window_end\"");
                    });
            assertThat(letters)
                    .filteredOn(letter -> letter.get("reason").asText().equals("undecodable"))
                    .hasSize(2);

            Launched.interrupt(publish);
            assertThat(publish.awaitExit(PATIENCE))
                    .as(publish.stderr().toString())
                    .isZero();
            assertThat(publish.stderr())
                    .anySatisfy(line -> assertThat(line).contains("dead_letters=" + (missing.size() + 2)));
        }
    }

    private static String jobs(String console) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(console + "/v1/jobs")).build();
        return HttpOne.client()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static List<JsonNode> letters(String topic, int count) throws IOException {
        List<JsonNode> letters = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrap(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList());
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (letters.size() < count && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
                    letters.add(new ObjectMapper().readTree(record.value()));
                }
            }
        }
        assertThat(letters).hasSize(count);
        return letters;
    }

    /** The rows of a run over files are in its embedded store and, through Kafka in both formats, in Redis. */
    @Tag("test")
    @Test
    void publish_rowsOfARun_readAsFromTheStoreOfTheRun() throws Exception {
        String views = Files.readString(SmallViews.demand(folder)) + """
                ---
                apiVersion: thalweg/v1
                kind: FeatureView
                name: products
                source: {topic: rider-events, format: json, event_time: {field: ts, unit: ms}, max_out_of_orderness: 10s}
                where: {event_type: [request, app_open, available, dropoff]}
                entities: [{name: product, field: product_id, type: uuid}]
                measures: [{name: n, count: all}, {sum: lat}, {max: lng}]
                windows: {sizes: [1m, 2m], every: 1m}
                online: {ttl: 10m}
                """;
        Files.writeString(folder.resolve("demand.yaml"), views.replace("ttl: 10m", "ttl: 10000d, history: 1d"));
        List<String> events = Files.readAllLines(Checkout.file("examples/rider-events.jsonl"));
        Files.write(folder.resolve("events.jsonl"), events.subList(0, 200));
        Files.writeString(folder.resolve("embedded.yaml"), "store: {path: %s}".formatted(folder.resolve("store")));
        CommandRun run = CommandRun.of(
                "run",
                folder.resolve("demand.yaml"),
                "--config",
                folder.resolve("embedded.yaml"),
                "--input",
                folder.resolve("events.jsonl"),
                "--store");
        assertThat(run.exit()).as(run.err()).isZero();
        List<String> rows = stored(run.out().lines().toList());
        for (boolean packed : new boolean[] {true, false}) {
            String topic = packed ? "golden-packed" : "golden-json";
            wire.say("FLUSHALL");
            deploymentConfig("batch_rows: 100");
            String sunk = Files.readString(folder.resolve("demand.yaml"))
                    .replace(
                            "online:",
                            "sink: {topic: %s, format: %s}\nonline:".formatted(topic, packed ? "packed" : "json"));
            Files.writeString(folder.resolve("sunk.yaml"), sunk);
            kafka.createTopic(topic, 1, Map.of());
            List<FeatureView> both = Definitions.parse(sunk, "sunk.yaml").views();
            long end = sendGolden(topic, both, rows, packed);

            publishOnce("sunk.yaml");

            try (OnlineStore expected = RocksDbOnlineStore.open(folder.resolve("store"), Clock.systemUTC());
                    OnlineStore actual = openRedis()) {
                for (FeatureView view : both) {
                    assertSameReads(view, rows, expected, actual);
                    assertThat(actual.watermark(view.qualifiedName())).hasValue(end);
                }
            }
        }
    }

    /** Returns the rows that the run has stored as well: those up to the window end after its last event. */
    private List<String> stored(List<String> rows) {
        try (OnlineStore store = RocksDbOnlineStore.open(folder.resolve("store"), Clock.systemUTC())) {
            Instant end = Instant.ofEpochMilli(store.watermark("demand").orElseThrow());
            assertThat(store.watermark("products")).hasValue(end.toEpochMilli());
            return rows.stream()
                    .filter(row -> !Instant.parse(row.replaceFirst(".*\"window_end\":\"([^\"]+)\".*", "$1"))
                            .isAfter(end))
                    .toList();
        }
    }

    /** Sends all rows in order, and the progress of one shard. */
    private static long sendGolden(String topic, List<FeatureView> views, List<String> rows, boolean packed) {
        long end = 0;
        for (String row : rows) {
            byte[] json = row.getBytes(StandardCharsets.UTF_8);
            for (FeatureView view : views) {
                if (!row.startsWith("{\"view\":\"" + view.qualifiedName() + "\"")) {
                    continue;
                }
                RowBlock block = RowJson.of(view).decodeBlock(json);
                end = Math.max(end, block.windowEndMs());
                send(topic, 0, packed ? RowCodec.of(view).encodeBlock(block, 5) : json, end);
            }
        }
        for (FeatureView view : views) {
            send(topic, 0, ProgressJson.value(new Progress(view.qualifiedName(), 0, 1, end)), end);
        }
        producer.flush();
        return end;
    }

    private static void assertSameReads(FeatureView view, List<String> rows, OnlineStore expected, OnlineStore actual) {
        Map<Long, Set<StoreKey>> keysByEnd = new HashMap<>();
        Set<StoreKey> all = new LinkedHashSet<>();
        for (String row : rows) {
            if (row.startsWith("{\"view\":\"" + view.qualifiedName() + "\"")) {
                byte[] json = row.getBytes(StandardCharsets.UTF_8);
                RowBlock block = RowJson.of(view).decodeBlock(json);
                StoreKey key = block instanceof HexRowBlock cell
                        ? new StoreKey(cell.cells()[0], cell.group())
                        : new StoreKey(0, ((KeyedRowBlock) block).key(new KeyCodec(view), 0));
                long end = block.windowEndMs();
                all.add(key);
                keysByEnd.computeIfAbsent(end, e -> new LinkedHashSet<>()).add(key);
            }
        }
        assertThat(all).hasSizeGreaterThan(4);
        List<StoreKey> keys = List.copyOf(all);
        assertThat(shown(actual.read(view, keys))).isEqualTo(shown(expected.read(view, keys)));
        keysByEnd.forEach((end, atEnd) -> {
            List<StoreKey> asked = List.copyOf(atEnd);
            assertThat(shown(actual.readAsOf(view, asked, end)))
                    .doesNotContainNull()
                    .isEqualTo(shown(expected.readAsOf(view, asked, end)));
        });
    }

    private static List<@Nullable String> shown(ReadRows read) {
        List<@Nullable String> shown = new ArrayList<>();
        for (StoredRow row : read.rows()) {
            shown.add(row == null ? null : row.windowEndMs() + " " + row.finality() + " " + row.values());
        }
        return shown;
    }

    @Tag("test")
    @Test
    void publish_whatCannotBe_isToldInALineWithItsRemedy() throws Exception {
        deploymentConfig("");
        Path config = folder.resolve("thalweg.yaml");
        Path noSink = SmallViews.demand(folder);
        CommandRun run = CommandRun.of("publish", noSink, "--config", config);
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("view demand has no sink", "sink: {topic: demand-features}");

        String view = Files.readString(noSink);
        Path avro = Files.writeString(folder.resolve("avro.yaml"), view + "sink: {topic: nowhere, format: avro}\n");
        run = CommandRun.of("publish", avro, "--config", config);
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("sink.format of view demand must be packed or json", "was avro");

        Path missing = Files.writeString(folder.resolve("missing.yaml"), view + "sink: {topic: nowhere}\n");
        run = CommandRun.of("publish", missing, "--config", config);
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("topic nowhere does not exist", "thalweg run makes it", "sink.topic");

        kafka.createTopic("there", 1, Map.of());
        Path there = Files.writeString(folder.resolve("there.yaml"), view + "sink: {topic: there}\n");
        String text = Files.readString(config);
        Files.writeString(config, text.replace(":" + wire.port() + "\"", ":" + FreePorts.next() + "\""));
        run = CommandRun.of("publish", there, "--config", config);
        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("is away", "check store.uri");

        Files.writeString(config, "flink: {rest: \"http://127.0.0.1:1\"}\n");
        run = CommandRun.of("publish", there, "--config", config);
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("store.type must be a store that machines share", "was rocksdb");
    }
}
