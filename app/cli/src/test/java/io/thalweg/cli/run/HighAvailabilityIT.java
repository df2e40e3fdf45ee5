package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.ListeningSockets;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster with two JobManagers: the leader is killed, and the other takes over its job. */
class HighAvailabilityIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS_PER_SECOND = 25;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Tag("faults")
    @Test
    void kill_ofTheLeader_otherTakesOverTheJobAndRowsAreExact() throws Exception {
        killTheLeader(Map.of());
    }

    /** The job and its jars are objects then; its checkpoints stay in the shared folder. */
    @Tag("soak")
    @Test
    void kill_ofTheLeaderWithItsStorageInS3_otherTakesOverTheJobAndRowsAreExact() throws Exception {
        try (S3Server s3 = S3Server.start(Files.createDirectory(folder.resolve("s3")))) {
            Map<String, String> storage = new HashMap<>(s3.environment());
            storage.put("FLINK_HA_STORAGE", "s3://" + S3Server.BUCKET + "/ha");
            killTheLeader(storage);
            assertThat(s3.list("ha/")).contains("<Key>ha/local/");
            assertThat(folder.resolve("ha/ha")).doesNotExist();
            assertThat(Files.readString(folder.resolve("ha/config.yaml")))
                    .doesNotContain(storage.get("AWS_SECRET_ACCESS_KEY"));
        }
    }

    private void killTheLeader(Map<String, String> storage) throws Exception {
        FeatureView view =
                Definitions.parse(SmallViews.KEYS, "views.yaml").views().get(0);
        Files.writeString(folder.resolve("views.yaml"), SmallViews.KEYS);
        long startMs = Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                LocalCluster cluster =
                        LocalCluster.startHighlyAvailable(Files.createDirectories(folder.resolve("ha")), storage)) {
            assertLoopbackOnly(cluster);
            for (String topic : List.of("events", "events-keys", "events-dead")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "events", seed, startMs);
                    TopicTail rows = new TopicTail(kafka.bootstrap(), "events-keys", "read_committed");
                    ThalwegProcess thalweg = new ThalwegProcess(
                            folder, kafka.bootstrap(), "flink: {rest: \"" + cluster.restOfStandby() + "\"}")) {
                feed.startSending(EVENTS_PER_SECOND);
                Subprocess run = thalweg.start("--parallelism", "2");
                rows.awaitNewEnd(run, PATIENCE, seed);
                cluster.killLeader();
                rows.awaitNewEnd(run, PATIENCE, seed);

                feed.stopSending();
                feed.runOut();
                rows.assertExactly(feed.rows(view), PATIENCE, seed);

                Subprocess stopped = Launched.start(folder, "stop", "--config", "thalweg.yaml");
                assertExit(stopped, cluster);
                assertExit(run, cluster);
            }
        }
    }

    /** Every process of the cluster listens, on loopback only. */
    private static void assertLoopbackOnly(LocalCluster cluster) throws IOException {
        Map<String, ProcessHandle> processes = cluster.processes();
        assertThat(processes)
                .containsOnlyKeys("zookeeper", "jobmanager", "jobmanager-2", "taskmanager-1", "taskmanager-2");
        for (Map.Entry<String, ProcessHandle> process : processes.entrySet()) {
            assertThat(ListeningSockets.of(process.getValue()))
                    .as(process.getKey())
                    .isNotEmpty()
                    .allMatch(socket -> socket.getAddress().isLoopbackAddress());
        }
    }

    private static void assertExit(Subprocess process, LocalCluster cluster) {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()) + "\n" + cluster.errors())
                .isZero();
    }
}
