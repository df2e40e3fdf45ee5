package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.RunRecord;
import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints, savepoints and the program's records of them are only in S3. Each command is a process in a folder of its own, as on
 * another machine, and finds earlier runs only in the bucket.
 */
@Tag("soak")
class CheckpointsInS3IT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int EVENTS_PER_SECOND = 25;
    private static final String DIR = "s3://" + S3Server.BUCKET + "/checkpoints";
    private static final String RUN = "resuming from " + DIR + "/test/[0-9a-f-]+/";
    private static final Pattern RUN_RECORD = Pattern.compile("run\\.txt</Key>");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private String configuration = "";
    private int machines;

    private void configure(S3Server s3, EmbeddedKafka kafka, Path plugins, String more) {
        environment.putAll(s3.environment());
        environment.put("FLINK_PLUGINS_DIR", plugins.toString());
        configuration = """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints:
                  dir: %s
                  every: 1s
                  options: {s3.endpoint: "${S3_ENDPOINT}", s3.endpoint.region: us-east-1, s3.path.style.access: true}
                server: {port: 0}
                %s
                """.formatted(kafka.bootstrap(), DIR, more);
        for (String topic : List.of("events", "events-keys", "events-dead")) {
            kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
        }
    }

    /** Runs a command as on a machine that has not run one before. */
    private Subprocess onANewMachine(Object... arguments) throws IOException {
        machines++;
        Path machine = Files.createDirectories(folder.resolve("machine-" + machines));
        Files.writeString(machine.resolve("views.yaml"), SmallViews.KEYS);
        Files.writeString(machine.resolve("thalweg.yaml"), configuration);
        return Launched.start(machine, environment, arguments);
    }

    private Subprocess run() throws IOException {
        return onANewMachine("run", "views.yaml", "--config", "thalweg.yaml", "--parallelism", "2");
    }

    private void stop(Subprocess run) throws IOException {
        try (Subprocess stop = onANewMachine("stop", "--config", "thalweg.yaml")) {
            assertExit(stop, 0);
            assertThat(stop.stderr()).singleElement().asString().startsWith("stopped job ");
        }
        assertExit(run, 0);
    }

    @Test
    void kill_ofTheClustersProcesses_andStop_newClientsResumeAndRowsAreExact() throws Exception {
        FeatureView view =
                Definitions.parse(SmallViews.KEYS, "views.yaml").views().get(0);
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (S3Server s3 = S3Server.start(Files.createDirectory(folder.resolve("s3")));
                EmbeddedKafka kafka = EmbeddedKafka.start();
                LocalCluster cluster = LocalCluster.startWithS3(
                        Files.createDirectories(folder.resolve("cluster")), s3.environment())) {
            configure(s3, kafka, cluster.plugins(), "flink: {rest: \"" + cluster.rest() + "\"}");
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "events", seed, startMs());
                    TopicTail rows = new TopicTail(kafka.bootstrap(), "events-keys", "read_committed");
                    Subprocess first = run()) {
                feed.startSending(EVENTS_PER_SECOND);
                rows.awaitNewEnd(first, PATIENCE, seed);
                cluster.killTaskManager();
                rows.awaitNewEnd(first, PATIENCE, seed);
                cluster.killJobManager();
                assertExit(first, 1);

                try (Subprocess second = run()) {
                    second.awaitLine(RUN + "[0-9a-f]+/chk-\\d+$", PATIENCE);
                    rows.awaitNewEnd(second, PATIENCE, seed);
                    stop(second);
                }
                try (Subprocess third = run()) {
                    third.awaitLine(RUN + "savepoint-[0-9a-f-]+$", PATIENCE);
                    feed.stopSending();
                    feed.runOut();
                    rows.assertExactly(feed.rows(view), PATIENCE, seed);
                    stop(third);
                }
            }
            assertThat(RUN_RECORD.matcher(s3.list("checkpoints/test/")).results())
                    .as("runs: the last one, and the one that it resumed")
                    .hasSize(2);
            assertNothingIsKeptHere();
        }
    }

    @Test
    void kill_ofAProcessThatComputesItself_andCtrlC_nextOneResumesAndRowsAreExact() throws Exception {
        FeatureView view =
                Definitions.parse(SmallViews.KEYS, "views.yaml").views().get(0);
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (S3Server s3 = S3Server.start(Files.createDirectory(folder.resolve("s3")));
                EmbeddedKafka kafka = EmbeddedKafka.start()) {
            configure(s3, kafka, LocalCluster.s3Plugin(Files.createDirectory(folder.resolve("flink"))), "");
            try (RiderFeed feed = new RiderFeed(kafka.bootstrap(), "events", seed, startMs());
                    TopicTail rows = new TopicTail(kafka.bootstrap(), "events-keys", "read_committed")) {
                feed.startSending(EVENTS_PER_SECOND);
                try (Subprocess first = run()) {
                    rows.awaitNewEnd(first, PATIENCE, seed);
                    first.signal(Subprocess.Signal.KILL);
                }
                try (Subprocess second = run()) {
                    second.awaitLine(RUN + "[0-9a-f]+/chk-\\d+$", PATIENCE);
                    rows.awaitNewEnd(second, PATIENCE, seed);
                    second.signal(Subprocess.Signal.TERM);
                    assertExit(second, 0);
                }
                try (Subprocess third = run()) {
                    third.awaitLine(RUN + "savepoint-[0-9a-f-]+$", PATIENCE);
                    feed.stopSending();
                    feed.runOut();
                    rows.assertExactly(feed.rows(view), PATIENCE, seed);
                }
            }
            assertNothingIsKeptHere();
        }
    }

    @Test
    void run_secretOfAnother_isRefusedBeforeTheJobStarts() throws Exception {
        try (S3Server s3 = S3Server.start(Files.createDirectory(folder.resolve("s3")));
                EmbeddedKafka kafka = EmbeddedKafka.start()) {
            configure(s3, kafka, LocalCluster.s3Plugin(Files.createDirectory(folder.resolve("flink"))), "");
            environment.put("AWS_SECRET_ACCESS_KEY", "secret-of-another");
            configuration = configuration.replace("s3.path", "s3.attempts.maximum: 2, s3.path");
            try (Subprocess run = run()) {
                assertExit(run, 1);
                assertThat(String.join("\n", run.stderr()))
                        .contains("checkpoints.dir " + DIR, "permission denied", "AWS_ACCESS_KEY_ID")
                        .doesNotContain("secret-of-another");
            }
            assertThat(s3.list("")).doesNotContain("<Key>");
        }
    }

    private static long startMs() {
        return Math.floorDiv(System.currentTimeMillis(), 3_600_000L) * 3_600_000L - 12 * 3_600_000L;
    }

    /** Neither checkpoints nor the secret are in a file of a process. */
    private void assertNothingIsKeptHere() throws IOException {
        String secret = environment.getOrDefault("AWS_SECRET_ACCESS_KEY", "");
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().matches(".*\\.(txt|log|yaml|properties)"))
                    .toList()) {
                assertThat(file.getFileName().toString()).isNotEqualTo(RunRecord.FILE);
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)) // the store's logs are binary
                        .as("%s", file)
                        .doesNotContain(secret);
            }
        }
    }

    private static void assertExit(Subprocess process, int code) {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isEqualTo(code);
    }
}
