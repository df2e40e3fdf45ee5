package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.jobs.block.Shards;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Checkpoints;
import io.thalweg.store.OnlineStore;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.embedded.RedisServer;

/**
 * An upgrade from each version that was released: jobs resume from its savepoints, and stores answer with its rows.
 *
 * <p>{@code -Dthalweg.keep=VERSION} keeps the state of the version that is checked out, so that later versions are tested
 * with it (docs/internal/releasing.md).
 */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class KeptStateIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int MORE_EVENTS = 150;
    private static final int MORE_RIDES = 200;
    /** The last window end that the kept events have passed. */
    private static final long LAST_MS =
            KeptState.START_MS + Duration.ofMinutes(4).toMillis();

    private static final List<String> VIEWS = List.of(KeptState.CELLS, KeptState.KEYS);

    @TempDir
    Path folder;

    static List<String> versions() throws IOException {
        return KeptState.versions();
    }

    private static TopicTail tail(EmbeddedKafka kafka, String view) {
        return new TopicTail(kafka.bootstrap(), "events-" + view, "read_committed");
    }

    @Tag("faults")
    @ParameterizedTest
    @MethodSource("versions")
    void run_fromASavepointOfAnEarlierVersion_rowsAreThoseOfAnUninterruptedRun(String version) throws Exception {
        KeptState kept = KeptState.of(version, folder);
        try (EmbeddedKafka kafka = kept.startKafka();
                RiderFeed feed = kept.feed(kafka);
                TopicTail cells = tail(kafka, KeptState.CELLS);
                TopicTail keys = tail(kafka, KeptState.KEYS);
                ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap())) {
            feed.skip(KeptState.EVENTS);
            Map<String, TopicTail> tails = Map.of(KeptState.CELLS, cells, KeptState.KEYS, keys);
            for (TopicTail before : tails.values()) {
                before.drain();
                assertThat(before.lines()).as("rows of version %s", version).isNotEmpty();
            }

            thalweg.start("--parallelism", "2");
            feed.send(MORE_EVENTS);
            feed.runOut();

            for (String name : VIEWS) {
                FeatureView view = kept.view(name);
                List<String> expected = feed.rows(view);
                TopicTail rows = tails.getOrDefault(name, cells);
                assertThat(rows.lines()).hasSizeLessThan(expected.size());
                rows.assertExactly(expected, PATIENCE, KeptState.SEED);
                thalweg.served().assertRows(view, expected, new Random(KeptState.SEED), KeptState.SEED);
                assertThat(thalweg.served().events(name))
                        .as("each event once in the account of %s", name)
                        .isEqualTo(feed.events());
            }
            assertThat(thalweg.begunFrom()).contains("savepoint-");
        }
    }

    @Tag("faults")
    @ParameterizedTest
    @MethodSource("versions")
    void ingest_fromASavepointOfAnEarlierVersion_writesEachRecordOnce(String version) throws Exception {
        KeptState kept = KeptState.of(version, folder);
        try (EmbeddedKafka kafka = kept.startKafka()) {
            kept.configure("thalweg.yaml", kafka, "path: store");
            assertThat(rideIds()).isEqualTo(range(KeptState.RIDES));
            kept.sendRides(kafka, KeptState.RIDES, KeptState.RIDES + MORE_RIDES);
            try (Subprocess ingest =
                    Launched.start(folder, "ingest", "rides.yaml", "--config", "thalweg.yaml", "--once", "--quiet")) {
                assertExit(ingest, 0);
                assertThat(IngestFolder.counts(ingest.stderr()))
                        .as("only what is new")
                        .containsEntry("events", (long) MORE_RIDES)
                        .containsEntry("written", (long) MORE_RIDES);
            }
            assertThat(rideIds()).isEqualTo(range(KeptState.RIDES + MORE_RIDES));
        }
    }

    private List<Long> rideIds() throws IOException {
        return ParquetFolder.longs(folder.resolve("table"), "id").stream()
                .sorted()
                .toList();
    }

    private static List<Long> range(long to) {
        return LongStream.range(0, to).boxed().toList();
    }

    /** Empties the store first, so that its rows were all published after the savepoint. */
    @Tag("soak")
    @ParameterizedTest
    @MethodSource("versions")
    void publish_fromASavepointOfAnEarlierVersion_writesTheRowsAfterIt(String version) throws Exception {
        KeptState kept = KeptState.of(version, folder);
        FeatureView view = kept.view(KeptState.CELLS);
        int redisPort = FreePorts.next();
        RedisServer redis = kept.startRedis(redisPort);
        try (EmbeddedKafka kafka = kept.startKafka();
                RiderFeed feed = kept.feed(kafka);
                TopicTail cells = tail(kafka, KeptState.CELLS);
                ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap())) {
            feed.skip(KeptState.EVENTS);
            cells.drain();
            Set<String> before = new LinkedHashSet<>(cells.lines());
            assertThat(before).anyMatch(row -> row.matches(".*\"k0_1m\":[1-9].*"));
            thalweg.start();
            feed.send(MORE_EVENTS);
            feed.runOut();
            List<String> after = new ArrayList<>(feed.rows(view));
            cells.assertExactly(after, PATIENCE, KeptState.SEED);
            after.removeAll(before);
            assertThat(new RedisWire(redisPort).say("FLUSHALL")).isEqualTo("OK");

            ServedViews served = new ServedViews(kept.configureRedis(kafka, redisPort));
            try (Subprocess publish = Launched.start(
                    folder, "publish", "views.yaml", "--config", "redis.yaml", "--parallelism", "2", "--serve")) {
                publish.awaitLine("resuming from .*/savepoint-", PATIENCE);
                publish.awaitLine("serving http", PATIENCE);
                served.assertRows(view, after, new Random(KeptState.SEED), KeptState.SEED);
                for (String row : before.stream().limit(100).toList()) {
                    JsonNode key = JSON.readTree(row);
                    String read = "{\"as_of\":%s,\"entities\":[{\"cell\":%s,\"product\":%s}]}"
                            .formatted(key.get("window_end"), key.get("cell"), key.get("product"));
                    assertThat(served.read(view.name(), read).at("/rows/0/values"))
                            .as("published before the savepoint: %s", row)
                            .isNotEmpty()
                            .allSatisfy(value -> assertThat(value.isNumber() && value.asDouble() == 0)
                                    .isTrue());
                }
            }
        } finally {
            redis.stop();
        }
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("versions")
    void serve_storesOfAnEarlierVersion_answerWithItsRows(String version) throws Exception {
        KeptState kept = KeptState.of(version, folder);
        try (Stream<Path> store = Files.list(folder.resolve("store"))) {
            assertThat(store)
                    .as("rows in files, not only in the log")
                    .anyMatch(file -> file.toString().endsWith(".sst"));
        }
        int redisPort = FreePorts.next();
        RedisServer redis = kept.startRedis(redisPort);
        try (EmbeddedKafka kafka = kept.startKafka()) {
            Map<String, Integer> ports = Map.of(
                    "thalweg.yaml", kept.configure("thalweg.yaml", kafka, "path: store"),
                    "redis.yaml", kept.configureRedis(kafka, redisPort));
            for (Map.Entry<String, Integer> each : ports.entrySet()) {
                ServedViews served = new ServedViews(each.getValue());
                try (Subprocess serve = Launched.start(folder, "serve", "views.yaml", "--config", each.getKey())) {
                    serve.awaitLine("serving http", PATIENCE);
                    for (String name : VIEWS) {
                        try (TopicTail rows = tail(kafka, name)) {
                            rows.drain();
                            served.assertRows(
                                    kept.view(name), rows.lines(), new Random(KeptState.SEED), KeptState.SEED);
                        }
                    }
                }
            }
        } finally {
            redis.stop();
        }
    }

    /** A downgrade: state that the later version wrote is refused at once, and the message contains the remedy. */
    @Tag("faults")
    @Test
    void run_fromASavepointOfALaterVersion_isRefusedWithTheRemedy() throws Exception {
        KeptState kept = KeptState.of(versions().get(versions().size() - 1), folder);
        int changed = 0;
        for (Path savepoint : Checkpoints.in(folder.resolve("checkpoints"))) {
            changed += raiseVersionOfSplits(savepoint.resolve("_metadata"));
        }
        assertThat(changed).as("splits in savepoints").isPositive();
        try (EmbeddedKafka kafka = kept.startKafka();
                ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap())) {
            Subprocess run = thalweg.start();

            assertExit(run, 1);
            assertThat(run.stderr())
                    .filteredOn(line -> line.startsWith("thalweg: "))
                    .singleElement()
                    .asString()
                    .contains("the state of Kafka partitions has version 99, this Thalweg reads versions 1 to 2")
                    .contains("start with the Thalweg that wrote it, or with --resume none");
        }
    }

    /** A split is its version, its length and its bytes, which begin with the name of the topic. */
    private static int raiseVersionOfSplits(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        byte[] topic = "events".getBytes(StandardCharsets.UTF_8);
        int changed = 0;
        for (int at = 0; at + 10 + topic.length <= bytes.limit(); at++) {
            byte[] name = new byte[topic.length];
            bytes.get(at + 10, name);
            if (bytes.getInt(at) == 2 && bytes.getShort(at + 8) == topic.length && Arrays.equals(name, topic)) {
                bytes.putInt(at, 99);
                changed++;
            }
        }
        Files.write(file, bytes.array());
        return changed;
    }

    @Tag("faults")
    @Test
    @EnabledIfSystemProperty(named = "thalweg.keep", matches = "\\d+\\.\\d+\\.\\d+")
    void keep_stateOfThisVersion_forLaterOnes() throws Exception {
        KeptState kept = KeptState.define(folder);
        int redisPort = FreePorts.next();
        RedisServer redis = kept.startRedis(redisPort);
        try (EmbeddedKafka kafka = kept.startKafka();
                RiderFeed feed = kept.feed(kafka);
                ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap())) {
            feed.send(KeptState.EVENTS);
            stop(thalweg.start("--parallelism", "2"), () -> isWritten(kafka));
            moveRowsIntoFiles();

            kept.sendRides(kafka, 0, KeptState.RIDES);
            stop(
                    Launched.start(folder, "ingest", "rides.yaml", "--config", "thalweg.yaml", "--quiet"),
                    () -> rideIds().size() == KeptState.RIDES);

            kept.configureRedis(kafka, redisPort);
            try (OnlineStore store = kept.openRedis(redisPort)) {
                stop(
                        Launched.start(folder, "publish", "views.yaml", "--config", "redis.yaml", "--quiet"),
                        () -> VIEWS.stream()
                                .allMatch(view -> store.watermark(view).equals(OptionalLong.of(LAST_MS))));
            }
            assertThat(new RedisWire(redisPort).say("SAVE")).isEqualTo("OK");
        } finally {
            redis.stop();
        }
        kept.keepAs(System.getProperty("thalweg.keep"));
    }

    /** A store that was just written has its rows in its log. A backup has them in files, like most rows of a store that is in use. */
    private void moveRowsIntoFiles() throws IOException {
        try (Subprocess backup = Launched.start(folder, "store", "backup", "flushed", "--config", "thalweg.yaml")) {
            assertExit(backup, 0);
        }
        Files.move(folder.resolve("store"), folder.resolve("log-only"));
        try (Subprocess restore = Launched.start(folder, "store", "restore", "flushed", "--config", "thalweg.yaml")) {
            assertExit(restore, 0);
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void stop(Subprocess job, Condition ready) throws Exception {
        try (job) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!ready.holds()) {
                assertThat(job.isAlive()).as("%s", job.stderr()).isTrue();
                assertThat(System.nanoTime()).as("%s", job.stderr()).isLessThan(deadline);
            }
            job.signal(Subprocess.Signal.TERM);
            assertExit(job, 0);
        }
    }

    /** Whether every window end that the events have passed is in Kafka, with some windows still open. */
    private static boolean isWritten(EmbeddedKafka kafka) {
        return Stream.of(KeptState.CELLS, KeptState.KEYS).allMatch(view -> {
            try (TopicTail rows = tail(kafka, view)) {
                rows.drain();
                return rows.newestEndMs() == LAST_MS && rows.shardsDoneAt(LAST_MS) == Shards.COUNT;
            }
        });
    }

    private static void assertExit(Subprocess process, int code) {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isEqualTo(code);
    }
}
