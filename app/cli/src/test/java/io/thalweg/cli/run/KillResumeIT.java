package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.block.Shards;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.CheckpointOperators;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that is killed at any moment and started again leaves the same in Kafka, the store and feature logs as an undisturbed one.
 * {@code -Dthalweg.seed=N} replays the events and the moments.
 */
@SuppressWarnings("NullAway.Init")
class KillResumeIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS_PER_SECOND = 25;

    /** The moment at which a process is killed. */
    private enum Moment {
        /** Some time after its start: while the JVM, the server or the job starts, or state is restored. */
        STARTING,
        /** As soon as rows of a new window end are seen in Kafka. */
        FIRING,
        /** Some time after rows of a new window end were seen and a checkpoint was completed, from which the next start resumes. */
        RUNNING
    }

    private static final List<Moment> MOMENTS =
            List.of(Moment.FIRING, Moment.STARTING, Moment.FIRING, Moment.RUNNING, Moment.STARTING, Moment.FIRING);

    private static EmbeddedKafka kafka;

    @TempDir
    Path folder;

    private long seed;
    private Random random;
    private String topic;
    private String views;
    private FeatureView once;
    private FeatureView least;
    private FeatureView keys;
    private RiderFeed feed;
    private ThalwegProcess thalweg;
    private TopicTail onceRows;
    private TopicTail leastRows;
    private TopicTail keysRows;
    private TopicTail deadLetters;

    @BeforeAll
    static void startKafka() {
        kafka = EmbeddedKafka.start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @BeforeEach
    void prepare(TestInfo test) throws IOException {
        seed = Long.getLong("thalweg.seed", System.nanoTime());
        random = new Random(seed);
        topic = test.getTestMethod().orElseThrow().getName().substring(0, 4);
        views = views("[request, app_open]");
        once = view("once");
        least = view("least");
        keys = view("keys");
        for (String name : List.of(topic, topic + "-once", topic + "-least", topic + "-keys", topic + "-dead")) {
            kafka.createTopic(name, RiderFeed.PARTITIONS, Map.of());
        }
        long hour = Duration.ofHours(1).toMillis();
        long startMs = Math.floorDiv(System.currentTimeMillis(), hour) * hour - 12 * hour;
        feed = new RiderFeed(kafka.bootstrap(), topic, seed, startMs);
        Files.writeString(folder.resolve("views.yaml"), views);
        thalweg = new ThalwegProcess(
                folder,
                kafka.bootstrap(),
                "catalogs: {default: {folder: \"%s\"}}".formatted(folder.resolve("warehouse")));
        onceRows = new TopicTail(kafka.bootstrap(), topic + "-once", "read_committed");
        leastRows = new TopicTail(kafka.bootstrap(), topic + "-least", "read_uncommitted");
        keysRows = new TopicTail(kafka.bootstrap(), topic + "-keys", "read_committed");
        deadLetters = new TopicTail(kafka.bootstrap(), topic + "-dead", "read_uncommitted");
    }

    @AfterEach
    void close() {
        thalweg.close();
        feed.close();
        Stream.of(onceRows, leastRows, keysRows, deadLetters).forEach(TopicTail::close);
    }

    private static final String CELLS = """
            entities:
              - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
              - {name: product, field: product_id, type: uuid}
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1]
            """;

    private static final String KEYS = """
            entities: [{name: rider, field: rider_id, type: uuid}]
            measures:
              - {name: requests, count: all, where: {event_type: request}}
              - {sum: lat}
              - {max: lng}
              - {count_distinct: product_id, type: uuid}
            emit: {early: 200ms}
            """;

    /** Views of one source: two that differ in name and delivery, and a keyed one. */
    private String views(String eventTypes) {
        return String.join(
                "---\n",
                view("once", CELLS, "exactly_once", eventTypes),
                view("least", CELLS, "at_least_once", eventTypes),
                view("keys", KEYS, "exactly_once", eventTypes));
    }

    private String view(String name, String counted, String delivery, String eventTypes) {
        return """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: %s
                source:
                  topic: %s
                  start: earliest
                  format: json
                  event_time: {field: ts, unit: ms}
                  max_out_of_orderness: 10s
                  idle_after: 1h
                where: {event_type: %s}
                %swindows: {sizes: [1m, 2m, 4m], every: 1m}
                sink: {topic: %s-%s, format: json, delivery: %s}
                online: {ttl: 1d, history: 1d}
                """.formatted(name, topic, eventTypes, counted, topic, name, delivery);
    }

    private FeatureView view(String name) {
        return Definitions.parse(views, "views.yaml").views().stream()
                .filter(view -> view.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Tag("faults")
    @Test
    void kill_atAnyMoment_rowsAreThoseOfAnUndisturbedRun() throws Exception {
        views = views.replace("online:", "offline: true\nonline:");
        Files.writeString(folder.resolve("views.yaml"), views);
        feed.startSending(EVENTS_PER_SECOND);
        int inFiring = 0;
        // Every other start also changes the parallelism.
        int parallelism = 1;
        for (Moment moment : MOMENTS) {
            thalweg.start("--parallelism", String.valueOf(parallelism));
            await(moment);
            thalweg.kill();
            leastRows.drain();
            inFiring += moment != Moment.STARTING && !isDone(leastRows.newestEndMs()) ? 1 : 0;
            parallelism = 3 - parallelism;
        }
        feed.stopSending();
        feed.runOut();
        thalweg.start();

        assertKafkaAndStore();
        assertThat(leastRows.readUntil(() -> isDone(leastRows.newestEndMs()), PATIENCE))
                .as("each shard says so when it is done")
                .isTrue();
        assertThat(thalweg.begunFrom()).contains("chk-");
        LoggedRows.assertExactly(feed, folder, views, once, seed);
        LoggedRows.assertExactly(feed, folder, views, keys, seed);
        System.out.printf("seed %d: %d of %d kills while a minute fired%n", seed, inFiring, MOMENTS.size());
        assertThat(inFiring).as("kills while a minute fired").isPositive();
    }

    private void await(Moment moment) throws Exception {
        if (moment == Moment.STARTING) {
            leastRows.readFor(Duration.ofMillis(random.nextInt(500, 6_000)));
            return;
        }
        for (int ends = random.nextInt(1, 3); ends > 0; ends--) {
            long known = leastRows.newestEndMs();
            assertThat(leastRows.readUntil(() -> leastRows.newestEndMs() > known, PATIENCE))
                    .as("rows of a new window end, seed %d", seed)
                    .isTrue();
        }
        if (moment == Moment.RUNNING) {
            await(() -> !thalweg.checkpoints().isEmpty(), "a checkpoint");
        }
        leastRows.readFor(Duration.ofMillis(random.nextInt(moment == Moment.RUNNING ? 2_000 : 20)));
    }

    /** Whether all rows of a window end are in Kafka. */
    private boolean isDone(long endMs) {
        return leastRows.shardsDoneAt(endMs) == Shards.COUNT;
    }

    @Tag("soak")
    @Test
    void stop_orKillOrChange_nextStartBeginsWhereItShould() throws Exception {
        Subprocess first = thalweg.start();
        sendAndCheck();

        first.signal(Subprocess.Signal.TERM);
        assertThat(first.awaitExit(PATIENCE))
                .as(() -> String.join("\n", first.stderr()))
                .isZero();
        thalweg.start();
        sendAndCheck();
        assertThat(thalweg.begunFrom()).contains("savepoint-");

        await(() -> thalweg.checkpoints().size() > 1, "two checkpoints");
        thalweg.kill();
        List<Path> checkpoints = thalweg.checkpoints();
        String read = "source/default/" + topic;
        assertThat(CheckpointOperators.of(StatePath.of(checkpoints.get(1))).sources(List.of(once, keys)))
                .as("what a checkpoint says of its reads by itself")
                .isEqualTo(Map.of("once", read, "keys", read));
        truncate(checkpoints.get(0).resolve("_metadata"));
        Files.writeString(folder.resolve("views.yaml"), views.replace("idle_after: 1h", "idle_after: 2h"));
        Subprocess third = thalweg.start(); // with --quiet, as all of them
        sendAndCheck();
        assertThat(third.stderr()).anyMatch(line -> line.contains("view least: source.idle_after was 1h, is 2h"));
        assertThat(thalweg.begunFrom())
                .isEqualTo(checkpoints.get(1).toAbsolutePath().toString());

        third.signal(Subprocess.Signal.TERM);
        assertThat(third.awaitExit(PATIENCE)).isZero();
        views = views("[app_open]");
        Files.writeString(folder.resolve("views.yaml"), views);
        Subprocess refused = thalweg.start();
        assertThat(refused.awaitExit(PATIENCE)).isEqualTo(1);
        assertThat(refused.stderr()).singleElement().asString().contains("where", "app_open", "--resume none");

        thalweg.start("--resume", "none");
        Set<String> expected = new HashSet<>(feed.rows(view("least")));
        assertThat(leastRows.readUntil(() -> new HashSet<>(leastRows.lines()).containsAll(expected), PATIENCE))
                .as("rows of the changed view, all of them")
                .isTrue();
        assertThat(thalweg.begunFrom()).isEmpty();
    }

    private void sendAndCheck() throws Exception {
        feed.send(150);
        feed.runOut();
        assertKafkaAndStore();
    }

    private static void truncate(Path file) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.setLength(bytes.length() / 2);
        }
    }

    /** Requires that everything that was sent is there, as in a plain recount. */
    private void assertKafkaAndStore() throws Exception {
        List<String> expectedOnce = feed.rows(once);
        List<String> expectedLeast = feed.rows(least);
        Set<String> allLeast = new HashSet<>(expectedLeast);
        leastRows.readUntil(() -> new HashSet<>(leastRows.lines()).containsAll(allLeast), PATIENCE);
        SameRows.assertSame("rows at least once", new HashSet<>(leastRows.lines()), allLeast, seed);
        onceRows.readUntil(() -> onceRows.lines().size() >= expectedOnce.size(), PATIENCE);
        onceRows.readFor(Duration.ofSeconds(2));
        SameRows.assertSame("rows exactly once", new HashSet<>(onceRows.lines()), new HashSet<>(expectedOnce), seed);
        assertThat(onceRows.lines()).as("rows exactly once, repeated").hasSameSizeAs(expectedOnce);
        List<String> expectedKeys = feed.rows(keys);
        keysRows.readUntil(() -> finals(keysRows).size() >= expectedKeys.size(), PATIENCE);
        SameRows.assertSame("rows of keys", new HashSet<>(finals(keysRows)), new HashSet<>(expectedKeys), seed);
        assertThat(finals(keysRows)).as("rows of keys, repeated").hasSameSizeAs(expectedKeys);
        deadLetters.drain();
        assertThat(distinctDeadLetters())
                .hasSize((int) (feed.deadLetters(once) + feed.deadLetters(least) + feed.deadLetters(keys)));
        for (FeatureView view : List.of(once, least, keys)) {
            assertThat(thalweg.served().events(view.name()))
                    .as("each event once in the account of %s, seed %d", view.name(), seed)
                    .isEqualTo(feed.events());
        }
        thalweg.served().assertRows(once, expectedOnce, random, seed);
        thalweg.served().assertRows(least, expectedLeast, random, seed);
        thalweg.served().assertRows(keys, expectedKeys, random, seed);
    }

    /** Returns the rows without early ones, whose number depends on timing. */
    private static List<String> finals(TopicTail rows) {
        return rows.lines().stream()
                .filter(line -> line.contains("\"finality\":\"FINAL\""))
                .toList();
    }

    private Set<String> distinctDeadLetters() throws IOException {
        Set<String> distinct = new HashSet<>();
        for (String line : deadLetters.lines()) {
            JsonNode letter = JSON.readTree(line);
            distinct.add(letter.get("view") + " " + letter.get("partition") + " " + letter.get("offset"));
        }
        return distinct;
    }

    private void await(Callable<Boolean> holds, String what) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!holds.call()) {
            assertThat(System.nanoTime()).as("waited too long for %s", what).isLessThan(deadline);
            leastRows.readFor(Duration.ofMillis(50));
        }
    }
}
