package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.cli.run.RiderFeed.Counted;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.live.FlinkRoutes;
import io.thalweg.live.LiveClient;
import io.thalweg.live.LiveUnavailableException;
import io.thalweg.live.LiveView;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.testing.Subprocess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job on a real cluster whose processes are killed under load, and which is rescaled: the rows are those that nobody
 * disturbed.
 */
class ClusterIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int EVENTS_PER_SECOND = 25;
    private static final int TASK_MANAGERS_KILLED = 3;
    private static final String VIEW = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: once
            source:
              topic: events
              start: earliest
              format: json
              event_time: {field: ts, unit: ms}
              max_out_of_orderness: 10s
              idle_after: 1h
            where: {event_type: [request, app_open]}
            entities:
              - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
              - {name: product, field: product_id, type: uuid}
            measure: {count_distinct: rider_id, type: uuid}
            rings: [0, 1]
            windows: {sizes: [1m, 2m, 4m], every: 1m}
            sink: {topic: events-once, format: json, delivery: exactly_once}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void kill_ofTaskManagersAndJobManager_andRescaling_leaveTheRowsOfAnUndisturbedRun() throws Exception {
        FeatureView view = Definitions.parse(VIEW, "views.yaml").views().get(0);
        Files.writeString(folder.resolve("views.yaml"), VIEW);
        Path clusterFolder = Files.createDirectories(folder.resolve("cluster"));
        long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                LocalCluster cluster = LocalCluster.start(clusterFolder);
                RiderFeed feed = feed(kafka, seed, startMs);
                TopicTail rows = new TopicTail(kafka.bootstrap(), "events-once", "read_committed");
                LiveClient live = new LiveClient(
                        new FlinkRoutes(URI.create(cluster.rest()), "thalweg test"), Duration.ofSeconds(5));
                ThalwegProcess thalweg =
                        new ThalwegProcess(folder, kafka.bootstrap(), "flink: {rest: \"" + cluster.rest() + "\"}")) {
            feed.startSending(EVENTS_PER_SECOND);
            Subprocess first = thalweg.start("--parallelism", "2");
            awaitNewRows(rows, first, seed);
            awaitLive(live, feed, view, false, seed);
            for (int killed = 0; killed < TASK_MANAGERS_KILLED; killed++) {
                cluster.killTaskManager();
                awaitNewRows(rows, first, seed);
            }
            awaitLive(live, feed, view, false, seed);

            refused(thalweg.start());
            Subprocess second = thalweg.start("--parallelism", "4", "--replace", "--detach");
            assertExit(second, 0);
            assertThat(thalweg.begunFrom()).contains("savepoint-");
            assertExit(first, 0);
            awaitNewRows(rows, second, seed);

            cluster.killJobManager();
            Subprocess third = thalweg.start("--parallelism", "4");
            awaitNewRows(rows, third, seed);
            assertThat(thalweg.begunFrom()).containsAnyOf("chk-", "savepoint-");

            feed.stopSending();
            awaitLive(live, feed, view, true, seed);
            feed.runOut();
            List<String> expected = feed.rows(view);
            rows.readUntil(() -> rows.lines().size() >= expected.size(), PATIENCE);
            rows.readFor(Duration.ofSeconds(2));
            SameRows.assertSame("rows", rows.lines(), new HashSet<>(expected), seed);
            assertThat(rows.lines()).as("repeated, seed %d", seed).hasSameSizeAs(expected);

            Subprocess stopped = Launched.start(folder, "stop", "--config", "thalweg.yaml");
            assertExit(stopped, 0);
            assertExit(third, 0);
        }
    }

    /**
     * Reads all cells that may have an open pane until the job answers and, where no more is sent, each has as many riders as
     * were sent.
     */
    private static void awaitLive(LiveClient live, RiderFeed feed, FeatureView view, boolean exactly, long seed)
            throws Exception {
        LiveView keys = new LiveView(view);
        Map<Counted, Integer> counts = feed.counts(view);
        List<Counted> cells = counts.keySet().stream()
                .map(of -> new Counted(of.cell(), of.group(), 0))
                .distinct()
                .toList();
        List<LiveKey> asked =
                cells.stream().map(of -> keys.key(of.cell(), of.group())).toList();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String trouble = "";
        while (System.nanoTime() < deadline) {
            try {
                List<LiveRow> answer = live.read(keys, asked);
                trouble = exactly ? difference(cells, answer, counts, view) : "";
            } catch (LiveUnavailableException e) {
                trouble = String.valueOf(e.getMessage());
            }
            if (trouble.isEmpty()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new AssertionError("live reads, seed " + seed + ": " + trouble);
    }

    private static String difference(
            List<Counted> cells, List<LiveRow> answer, Map<Counted, Integer> counts, FeatureView view) {
        long found = 0;
        for (int i = 0; i < cells.size(); i++) {
            long pane = answer.get(i).getWindowEndMs() / view.windows().every().millis() - 1;
            Counted of = new Counted(cells.get(i).cell(), cells.get(i).group(), pane);
            int expected = counts.getOrDefault(of, 0);
            if (answer.get(i).getCount() != expected) {
                return "%s must have %d riders, was %s".formatted(of, expected, answer.get(i));
            }
            found += expected;
        }
        return found > 0 ? "" : "no cell has a rider in its open pane";
    }

    private static RiderFeed feed(EmbeddedKafka kafka, long seed, long startMs) {
        for (String topic : List.of("events", "events-once", "events-dead")) {
            kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
        }
        return new RiderFeed(kafka.bootstrap(), "events", seed, startMs);
    }

    /** A second job of the same deployment would write the same transactions. */
    private static void refused(Subprocess run) {
        assertThat(run.awaitExit(PATIENCE)).isEqualTo(1);
        assertThat(String.join("\n", run.stderr())).contains("already runs", "--replace", "thalweg stop");
    }

    private static void assertExit(Subprocess process, int code) {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isEqualTo(code);
    }

    private static void awaitNewRows(TopicTail rows, Subprocess run, long seed) {
        rows.drain();
        long known = rows.newestEndMs();
        assertThat(rows.readUntil(() -> rows.newestEndMs() > known, PATIENCE))
                .as(() -> "rows of a new window end, seed " + seed + "; " + String.join("\n", run.stderr()))
                .isTrue();
    }
}
