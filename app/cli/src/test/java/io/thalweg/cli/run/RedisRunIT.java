package io.thalweg.cli.run;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisSentinelBuilder;

/** {@code store: {type: redis}}: one process serves what another writes, and an unreachable server is reported in one line. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class RedisRunIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String PASSWORD = "s3cret";

    private static int redisPort;
    private static RedisServer redis;

    @TempDir
    Path folder;

    @BeforeAll
    static void startRedis() throws IOException {
        redisPort = FreePorts.next();
        redis = RedisServer.newRedisServer()
                .port(redisPort)
                .setting("save \"\"")
                .setting("requirepass " + PASSWORD)
                .build();
        redis.start();
    }

    @AfterAll
    static void stopRedis() throws IOException {
        redis.stop();
    }

    @BeforeEach
    void writeFiles() throws IOException {
        SharedStore.writeFiles(folder);
        deploymentConfig(redisPort);
    }

    private void deploymentConfig(int port) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                store: {type: redis, uri: "redis://:%s@127.0.0.1:%d", project: market}
                views: [demand.yaml]
                """.formatted(PASSWORD, port));
    }

    @Tag("faults")
    @Test
    void serve_whatARunStored_isReadByAnotherProcess() throws Exception {
        SharedStore.assertWhatARunStoredIsServed(folder);
    }

    @Tag("faults")
    @Test
    void serve_whatARunStoredAtTheMasterOfASentinel_isReadByAnotherProcess() throws Exception {
        int port = FreePorts.next();
        RedisSentinelBuilder settings = RedisSentinel.newRedisSentinel()
                .port(port)
                .masterName("main")
                .masterPort(redisPort)
                .quorumSize(1)
                .setting("requirepass w4tch");
        settings.addDefaultReplicationGroup();
        RedisSentinel sentinel = settings.build();
        sentinel.start();
        try {
            Files.writeString(folder.resolve("thalweg.yaml"), """
                    store:
                      type: redis
                      uri: "redis-sentinel://:%s@127.0.0.1:%d/0#main"
                      sentinel: {password: w4tch}
                      project: watched
                    views: [demand.yaml]
                    """.formatted(PASSWORD, port));
            SharedStore.assertWhatARunStoredIsServed(folder);
        } finally {
            sentinel.stop();
        }
    }

    /** Rows of events from a minute ago are emitted at once: the topic is read to its end, and then time follows the clock. */
    @Tag("test")
    @Test
    void run_fromKafka_isServedByAnotherProcess() throws Exception {
        Files.writeString(folder.resolve("riders.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: riders
                source: {topic: events, start: earliest, event_time: {field: ts}, max_out_of_orderness: 1s, idle_after: 2s}
                lookup: [{table: {file: cities.csv}, key: city, fields: [country], on_miss: drop}]
                entities: [{name: cell, h3: {lat: lat, lng: lng, resolution: 9}}]
                measure: {count: all}
                rings: [0]
                windows: {sizes: [5s], every: 5s}
                online: {ttl: 10m, history: 1h}
                """);
        Files.writeString(folder.resolve("cities.csv"), "city,country\nny,us\n");
        String port = String.valueOf(FreePorts.next());
        long end = Math.floorDiv(System.currentTimeMillis() - 60_000, 5_000) * 5_000;
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic("events", 1, Map.of());
            Files.writeString(
                    folder.resolve("thalweg.yaml"),
                    Files.readString(folder.resolve("thalweg.yaml"))
                            + "kafka: {default: {bootstrap: \"%s\"}}\n".formatted(kafka.bootstrap()));
            String event = "{\"lat\":40.7,\"lng\":-74,\"ts\":%d,\"city\":\"%s\"}";
            send(kafka, event.formatted(end - 1, "ny"), 3);
            send(kafka, event.formatted(end - 1, "nowhere"), 2);
            try (Subprocess run = Launched.start(folder, "run", "riders.yaml");
                    Subprocess serve = Launched.start(folder, "serve", "riders.yaml", "--port", port)) {
                run.awaitLine("writing to redis://127.0.0.1:" + redisPort + " project market", PATIENCE);
                serve.awaitLine("serving http://127.0.0.1:" + port, PATIENCE);

                JsonNode row = awaitRow(port, Instant.ofEpochMilli(end).toString());

                assertThat(row.get("status").asText()).isEqualTo("PRESENT");
                assertThat(row.get("values").get(0).doubleValue()).isEqualTo(3.0);
                assertThat(run.stderr()).noneSatisfy(line -> assertThat(line).contains(PASSWORD));
                Launched.interrupt(run);
                assertThat(run.awaitExit(PATIENCE)).as(run.stderr().toString()).isZero();
            }
        }
    }

    /** Its scripts are flushed, then it is a replica, then full: afterwards it holds the rows of a run that nothing disturbed. */
    @Tag("faults")
    @Test
    void run_redisRefusesForAWhile_writesTheSameRows() throws Exception {
        Files.writeString(folder.resolve("drivers.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: drivers
                source: {topic: events, start: earliest, event_time: {field: ts}, max_out_of_orderness: 1ms, idle_after: 1h}
                entities: [{name: driver, field: driver}]
                measure: {count: all}
                windows: {sizes: [5s], every: 5s}
                online: {ttl: 10m, history: 1h}
                """);
        long begin = Math.floorDiv(System.currentTimeMillis() - 60_000, 5_000) * 5_000;
        Path config = folder.resolve("thalweg.yaml");
        String store = Files.readString(config);
        List<String> all = new ArrayList<>();
        try (RedisClient client = RedisClient.create("redis://:%s@127.0.0.1:%d".formatted(PASSWORD, redisPort));
                var connection = client.connect(ByteArrayCodec.INSTANCE)) {
            var server = connection.sync();
            server.flushall();
            try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
                kafka.createTopic("events", 1, Map.of());
                Files.writeString(
                        config, store + "kafka: {default: {bootstrap: \"%s\"}}\n".formatted(kafka.bootstrap()));
                try (Subprocess run = Launched.start(folder, "run", "drivers.yaml")) {
                    all.addAll(send(kafka, begin, 0));
                    awaitWatermark(server, begin);
                    server.scriptFlush();
                    all.addAll(send(kafka, begin, 1));
                    awaitWatermark(server, begin + 5_000);
                    server.replicaof("127.0.0.1", FreePorts.next());
                    all.addAll(send(kafka, begin, 2));
                    run.awaitLine("Rows of drivers wait, nothing is lost: .*READONLY.*REPLICAOF NO ONE", PATIENCE);
                    server.replicaofNoOne();
                    run.awaitLine("Rows of drivers are written again", PATIENCE);
                    server.configSet("maxmemory", "1mb");
                    all.addAll(send(kafka, begin, 3));
                    run.awaitLine("Rows of drivers wait, nothing is lost: .*OOM.*raise its maxmemory", PATIENCE);
                    server.configSet("maxmemory", "0");
                    send(kafka, begin, 4);
                    awaitWatermark(server, begin + 20_000);
                    Launched.interrupt(run);
                    assertThat(run.awaitExit(PATIENCE))
                            .as(run.stderr().toString())
                            .isZero();
                }
            }
            Files.writeString(config, store.replace("project: market", "project: calm"));
            Path input = Files.write(folder.resolve("events.jsonl"), all);
            CommandRun calm = CommandRun.of(
                    "run", folder.resolve("drivers.yaml"), "--input", input, "--store", "--config", config);
            assertThat(calm.exit()).as(calm.err()).isZero();
            assertThat(rows(server, "market")).hasSize(2 * 100).isEqualTo(rows(server, "calm"));
        }
    }

    /** Sends events of a window, one more for each driver than in the window before, and returns them. */
    private static List<String> send(EmbeddedKafka kafka, long begin, int window) throws Exception {
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 100 * (window + 1); i++) {
            events.add("{\"driver\":\"d%d\",\"ts\":%d}".formatted(i % 100, begin + window * 5_000L + i));
        }
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", kafka.bootstrap()),
                new StringSerializer(),
                new StringSerializer())) {
            events.forEach(event -> producer.send(new ProducerRecord<>("events", event)));
        }
        return events;
    }

    private static void awaitWatermark(RedisCommands<byte[], byte[]> server, long ms) {
        byte[] progress = "market:drivers:progress".getBytes(UTF_8);
        Await.until("the watermark " + ms, () -> {
            byte[] watermark = server.hget(progress, "watermark".getBytes(UTF_8));
            return watermark != null && Long.parseLong(new String(watermark, UTF_8)) >= ms;
        });
    }

    /** Returns the newest rows and those of history, by key and field. */
    private static Map<String, String> rows(RedisCommands<byte[], byte[]> server, String project) {
        Map<String, String> rows = new TreeMap<>();
        for (byte[] key : server.keys(project + ":drivers*:key:*")) {
            Map<byte[], byte[]> fields =
                    server.type(key).equals("hash") ? server.hgetall(key) : Map.of(new byte[0], server.get(key));
            Map<String, String> texts = new TreeMap<>();
            fields.forEach((field, row) ->
                    texts.put(new String(field, ISO_8859_1), HexFormat.of().formatHex(row)));
            rows.put(new String(key, ISO_8859_1).substring(project.length()), texts.toString());
        }
        return rows;
    }

    private static void send(EmbeddedKafka kafka, String event, int times) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", kafka.bootstrap()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < times; i++) {
                producer.send(new ProducerRecord<>("events", event)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    /** Returns the row as of a window end, once the watermark has passed it. */
    private static JsonNode awaitRow(String port, String windowEnd) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        CommandRun get;
        do {
            get = CommandRun.of(
                    "get",
                    "riders",
                    "--at",
                    "40.7,-74",
                    "--as-of",
                    windowEnd,
                    "--json",
                    "--server",
                    "http://127.0.0.1:" + port);
        } while ((get.exit() != 0 || get.out().contains("OUTSIDE_MAX_AGE")) && System.nanoTime() < deadline);
        assertThat(get.exit()).as(get.err()).isZero();
        return new ObjectMapper().readTree(get.out()).get("rows").get(0);
    }

    /** As when another application has a key of the same name. */
    @Tag("faults")
    @Test
    void run_keyOfAnotherTypeIsInTheWay_writesAllOtherRowsAndADeadLetter() throws Exception {
        Files.writeString(folder.resolve("drivers.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: drivers
                source: {topic: events, event_time: {field: ts}}
                entities: [{name: driver, field: driver}]
                measure: {count: all}
                windows: {sizes: [5s], every: 5s}
                online: {ttl: 10m}
                """);
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            events.add("{\"driver\":\"d%d\",\"ts\":%d}".formatted(i, 1_767_290_400_000L + i));
        }
        Files.write(folder.resolve("driven.jsonl"), events);
        Path letters = folder.resolve("letters.jsonl");
        Object[] command = {
            "run",
            folder.resolve("drivers.yaml"),
            "--input",
            folder.resolve("driven.jsonl"),
            "--output",
            folder.resolve("rows.jsonl"),
            "--dead-letters",
            letters,
            "--store",
            "--config",
            folder.resolve("thalweg.yaml")
        };
        try (RedisClient client = RedisClient.create("redis://:%s@127.0.0.1:%d".formatted(PASSWORD, redisPort));
                var connection = client.connect()) {
            var redis = connection.sync();
            CommandRun undisturbed = CommandRun.of(command);
            assertThat(undisturbed.exit()).as(undisturbed.err()).isZero();
            List<String> rows = redis.keys("market:drivers:key:*");
            assertThat(rows).hasSize(500).doesNotHaveDuplicates();
            redis.del(redis.keys("market:drivers*").toArray(new String[0]));
            // A text in a key begins with its length, as a varint of 2n.
            String inTheWay = "market:drivers:key:\u0004d7";
            assertThat(rows).contains(inTheWay);
            redis.rpush(inTheWay, "another application's");

            CommandRun disturbed = CommandRun.of(command);

            assertThat(disturbed.exit()).as(disturbed.err()).isZero();
            assertThat(Files.readAllLines(letters))
                    .isNotEmpty()
                    .allMatch(letter -> letter.contains("\"reason\":\"refused\"")
                            && letter.contains("WRONGTYPE")
                            && letter.contains("d7"));
            assertThat(redis.keys("market:drivers:key:*")).hasSameElementsAs(rows);
            assertThat(redis.lrange(inTheWay, 0, -1)).containsExactly("another application's");
            assertThat(redis.hget("market:drivers:progress", "watermark")).isNotNull();
        }
    }

    /** Of nine events of three drivers, those of the first belong to a fleet that Redis lists as ours. */
    @Tag("test")
    @Test
    void run_tableInRedis_isLookedUp() throws Exception {
        try (RedisClient client = RedisClient.create("redis://:%s@127.0.0.1:%d".formatted(PASSWORD, redisPort));
                var connection = client.connect()) {
            connection.sync().hset("driver:d0", Map.of("fleet", "ours", "city", "x"));
            connection.sync().hset("driver:d1", Map.of("fleet", "theirs"));
        }
        Files.writeString(folder.resolve("fleets.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: fleets
                source: {topic: events, event_time: {field: ts}}
                lookup: [{table: {redis: market, key: "driver:{driver_id}"}, key: driver, fields: [fleet], on_miss: drop}]
                where: {fleet: [ours]}
                entities: [{name: fleet, field: fleet}]
                measure: {count: all}
                windows: {sizes: [5s], every: 5s}
                """);
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            events.add("{\"driver\":\"d%d\",\"ts\":%d}".formatted(i % 3, 1_767_290_400_000L + i));
        }
        Files.write(folder.resolve("driven.jsonl"), events);
        Path config = folder.resolve("thalweg.yaml");
        Object[] run = {
            "run", folder.resolve("fleets.yaml"), "--input", folder.resolve("driven.jsonl"), "--config", config
        };
        CommandRun unnamed = CommandRun.of(run);
        assertThat(unnamed.exit()).isEqualTo(2);
        assertThat(unnamed.err()).contains("no redis server is named 'market'").contains("thalweg.yaml");

        Files.writeString(
                config,
                Files.readString(config)
                        + "redis: {market: {uri: \"redis://:%s@127.0.0.1:%d\"}}\n".formatted(PASSWORD, redisPort));
        CommandRun found = CommandRun.of(run);
        assertThat(found.exit()).as(found.err()).isZero();
        assertThat(found.out()).contains("\"fleet\":\"ours\"").contains("{\"count_5s\":3}");
        assertThat(found.err()).contains("accepted=3 skipped=6 bad=0");
    }

    @Tag("faults")
    @Test
    void serve_noRedisThere_saysSoInOneLine() throws Exception {
        int freePort = FreePorts.next();
        deploymentConfig(freePort);
        try (Subprocess serve = Launched.start(folder, "serve", "--port", "0")) {
            assertThat(serve.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(serve.stderr())
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("thalweg: the store redis://127.0.0.1:" + freePort
                                    + " is away while connecting: Connection refused: /127.0.0.1:" + freePort + ";")
                            .contains("check store.uri"))
                    .noneSatisfy(line -> assertThat(line).contains(PASSWORD))
                    .noneSatisfy(line -> assertThat(line).contains("\tat "));
        }
    }

    @Tag("faults")
    @Test
    void serve_wrongPassword_saysSoWithoutIt() throws Exception {
        Files.writeString(
                folder.resolve("thalweg.yaml"),
                Files.readString(folder.resolve("thalweg.yaml")).replace(PASSWORD, "guessed"));
        try (Subprocess serve = Launched.start(folder, "serve", "--port", "0")) {
            assertThat(serve.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(serve.stderr())
                    .anySatisfy(line -> assertThat(line).contains("WRONGPASS").contains("store.uri"))
                    .noneSatisfy(line -> assertThat(line).contains("guessed"));
        }
    }
}
