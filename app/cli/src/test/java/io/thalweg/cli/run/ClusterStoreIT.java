package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** Jobs on a real cluster that need Redis ship its client: one looks up fields there, one publishes rows there, one loads a table. */
@Tag("soak")
@Timeout(Await.TIMEOUT_SECONDS)
class ClusterStoreIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int RIDERS = 500;
    /** The areas of five of the feed's six products; the sixth has none. */
    private static final List<String> AREAS = List.of("north", "south", "south", "west", "north");

    private static final String SOURCE = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: %s
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            measures: [{name: n, count: all}]
            windows: {sizes: [1m], every: 1m}
            sink: {topic: rows, format: json, delivery: at_least_once}
            online: {ttl: 10000d}
            """;
    private static final String AREAS_VIEW = SOURCE.formatted("areas") + """
            lookup: [{table: {redis: crm, key: "area:{product_id}"}, key: product_id, fields: [area], on_miss: drop}]
            entities: [{name: area, field: area}]
            """;
    private static final String PRODUCTS_VIEW =
            SOURCE.formatted("products") + "entities: [{name: product, field: product_id}]\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void jobs_withALookupAndAPublisherAndATable_rowsStandInTheStore() throws Exception {
        RedisWire wire = new RedisWire(FreePorts.next());
        RedisServer redis = RedisServer.newRedisServer()
                .port(wire.port())
                .setting("save \"\"")
                .build();
        redis.start();
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                LocalCluster cluster = LocalCluster.start(Files.createDirectories(folder.resolve("cluster")))) {
            for (int product = 0; product < AREAS.size(); product++) {
                wire.say("SET area:" + new UUID(8, product) + " " + AREAS.get(product));
            }
            kafka.createTopic("events", RiderFeed.PARTITIONS, Map.of());
            kafka.createTopic("rows", 1, Map.of());
            deploymentConfig(kafka, wire, cluster);
            long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "events", 5, startMs);
                    TopicTail rows = new TopicTail(kafka.bootstrap(), "rows", "read_uncommitted")) {
                feed.send(600);
                feed.runOut();
                Map<String, Map<String, Long>> expected = expected(feed);
                thalweg("run", "views.yaml", "--detach");
                assertThat(rows.readUntil(() -> counts(rows.lines()).equals(expected), PATIENCE))
                        .as(() -> counts(rows.lines()) + " must become " + expected)
                        .isTrue();

                thalweg("publish", "views.yaml", "--detach");
                assertStored(wire, expected);
                assertThat(thalweg("publish", "views.yaml", "--detach", "--replace"))
                        .contains("resuming from")
                        .contains("/savepoint-");
                feed.send(600);
                feed.runOut();
                assertStored(wire, expected(feed));
                thalweg("stop", "publish");
                thalweg("stop");
            }
            writeTable();
            cancelLoad(cluster);
            thalweg("materialize", "riders.yaml", "--parallelism", "2", "--quiet");
            assertLoaded(wire);
            assertTrainingSet();
        } finally {
            redis.stop();
        }
    }

    private void deploymentConfig(EmbeddedKafka kafka, RedisWire wire, LocalCluster cluster) throws IOException {
        Files.writeString(folder.resolve("views.yaml"), AREAS_VIEW);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: %s, every: 1s}
                redis: {crm: {uri: "redis://127.0.0.1:%d"}}
                store: {type: redis, uri: "redis://127.0.0.1:%d", project: market}
                flink: {rest: "%s"}
                catalogs: {default: {folder: %s}}
                """.formatted(
                        kafka.bootstrap(),
                        folder.resolve("checkpoints"),
                        wire.port(),
                        wire.port(),
                        cluster.rest(),
                        folder.resolve("warehouse")));
    }

    /** A load that is cancelled on the cluster's page is not complete, neither for its user nor in the feature log. */
    private void cancelLoad(LocalCluster cluster) throws Exception {
        try (Subprocess load = Launched.start(folder, "materialize", "riders.yaml", "--rate", "20")) {
            String line = load.awaitLine("^job [0-9a-f]+ on ", PATIENCE);
            HttpRequest cancel = HttpRequest.newBuilder(
                            URI.create(cluster.rest() + "/jobs/" + line.split(" ", -1)[1] + "?mode=cancel"))
                    .method("PATCH", HttpRequest.BodyPublishers.noBody())
                    .build();
            Await.until(
                    "the job can be cancelled",
                    () -> HttpOne.client()
                                    .send(cancel, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            == 202);
            assertThat(load.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(load.stderr()).anyMatch(each -> each.endsWith("the job failed: Job was cancelled."));
        }
        try (Subprocess log = Launched.start(folder, "log", "show", "riders.yaml")) {
            assertThat(log.awaitExit(PATIENCE)).isZero();
            assertThat(log.stdout().get(1)).containsPattern("^riders +- +- +0 ");
        }
    }

    /** Writes two files, so that both readers have one. */
    private void writeTable() throws IOException {
        Files.writeString(folder.resolve("riders.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: riders
                source: {csv: lake}
                entities: [{name: rider, field: id, type: int64}]
                features: [{name: home, type: string}, {name: embedding, type: double_list}, trips]
                offline: true
                """);
        for (int file = 0; file < 2; file++) {
            StringBuilder lines = new StringBuilder("id,home,embedding,trips\n");
            for (int rider = file; rider < RIDERS; rider += 2) {
                lines.append("%d,Zürich %d,\"[%d, 0.5]\",%d\n".formatted(rider, rider, rider, 2 * rider));
            }
            Files.createDirectories(folder.resolve("lake"));
            Files.writeString(folder.resolve("lake/part-" + file + ".csv"), lines);
        }
    }

    /** The feature log has the rows of both readers, and that the load is complete. */
    private void assertTrainingSet() throws IOException {
        Files.writeString(
                folder.resolve("labels.csv"),
                LongStream.rangeClosed(0, RIDERS)
                        .mapToObj(rider -> "%d,%d\n".formatted(rider, System.currentTimeMillis()))
                        .collect(Collectors.joining("", "rider,at\n", "")));
        thalweg(
                "training-set",
                "--spine",
                "labels.csv",
                "--time",
                "at",
                "--unit",
                "ms",
                "--views",
                "riders.yaml",
                "--out",
                "train.csv",
                "--quiet");
        List<String> lines = Files.readAllLines(folder.resolve("train.csv"));
        for (int rider = 0; rider < RIDERS; rider++) {
            assertThat(lines.get(1 + rider))
                    .startsWith(rider + ",")
                    .endsWith(",Zürich %d,\"[%d.0, 0.5]\",%d.0,PRESENT".formatted(rider, rider, 2 * rider));
        }
        assertThat(lines.get(1 + RIDERS)).endsWith(",,,,NOT_FOUND");
    }

    private void assertLoaded(RedisWire wire) throws IOException {
        FeatureView view = Definitions.load(List.of(folder.resolve("riders.yaml")))
                .served()
                .get(0);
        List<StoreKey> keys = LongStream.range(0, RIDERS)
                .mapToObj(rider -> new StoreKey(0, List.of(rider)))
                .toList();
        try (OnlineStore store =
                RedisOnlineStore.open(URI.create("redis://127.0.0.1:" + wire.port()), "market", Clock.systemUTC())) {
            List<@Nullable StoredRow> rows = store.read(view, keys).rows();
            for (int rider = 0; rider < RIDERS; rider++) {
                assertThat(Objects.requireNonNull(rows.get(rider), "rider " + rider)
                                .values())
                        .isEqualTo(List.of("Zürich " + rider, List.of((double) rider, 0.5), 2.0 * rider));
            }
            assertThat(store.watermark("riders")).isPresent();
        }
    }

    private String thalweg(String... command) {
        try (Subprocess process = Launched.start(folder, (Object[]) command)) {
            int exit = process.awaitExit(PATIENCE);
            String said = String.join("\n", process.stderr());
            assertThat(exit).as(said).isZero();
            return said;
        }
    }

    /** Counts by window end and area, from a recount of products without a lookup. */
    private static Map<String, Map<String, Long>> expected(RiderFeed feed) throws IOException {
        FeatureView products =
                Definitions.parse(PRODUCTS_VIEW, "products.yaml").views().get(0);
        Map<String, Map<String, Long>> expected = new TreeMap<>();
        for (String line : feed.rows(products)) {
            JsonNode row = JSON.readTree(line);
            int product = (int) UUID.fromString(row.path("product").asText()).getLeastSignificantBits();
            if (product < AREAS.size()) {
                count(expected, row, AREAS.get(product));
            }
        }
        expected.values().forEach(areas -> areas.values().removeIf(count -> count == 0));
        expected.values().removeIf(Map::isEmpty);
        return expected;
    }

    private static Map<String, Map<String, Long>> counts(List<String> lines) {
        Map<String, Map<String, Long>> counts = new TreeMap<>();
        for (String line : lines) {
            try {
                JsonNode row = JSON.readTree(line);
                if (features(row) > 0) {
                    count(counts, row, row.path("area").asText());
                }
            } catch (IOException e) {
                throw new AssertionError(line, e);
            }
        }
        return counts;
    }

    private static void count(Map<String, Map<String, Long>> counts, JsonNode row, String area) {
        counts.computeIfAbsent(row.path("window_end").asText(), end -> new TreeMap<>())
                .merge(area, features(row), Long::sum);
    }

    private static long features(JsonNode row) {
        return row.path("features").path("n_1m").asLong();
    }

    /** Requires the newest row of each area: a count, or the zero after it. */
    private static void assertStored(RedisWire wire, Map<String, Map<String, Long>> expected) throws Exception {
        FeatureView view = Definitions.parse(AREAS_VIEW, "views.yaml").views().get(0);
        long lastMs = Instant.parse(
                        expected.keySet().stream().max(String::compareTo).orElseThrow())
                .toEpochMilli();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (OnlineStore store =
                RedisOnlineStore.open(URI.create("redis://127.0.0.1:" + wire.port()), "market", Clock.systemUTC())) {
            while (store.watermark("areas").orElse(0) < lastMs + 60_000) {
                assertThat(System.nanoTime()).as("rows in the store").isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            for (String area : List.of("north", "south", "west")) {
                StoredRow row = Objects.requireNonNull(
                        store.read(view, List.of(new StoreKey(0, List.of(area))))
                                .rows()
                                .get(0),
                        area);
                String end = Instant.ofEpochMilli(row.windowEndMs()).toString();
                assertThat(row.values().get(0))
                        .as("%s at %s", area, end)
                        .isEqualTo(expected.getOrDefault(end, Map.of()).getOrDefault(area, 0L));
            }
        }
    }
}
