package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.google.PubSubFake;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code thalweg ingest} of a subscription of a fake service, through Google's own client. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestPubSubIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String TOPIC = "projects/my-project/topics/rides";
    private static final String SUBSCRIPTION = "projects/my-project/subscriptions/rides-lake";

    @TempDir
    Path folder;

    private PubSubFake service;
    private IngestFolder ingest;
    private Encoder encoder;

    @BeforeEach
    void define() throws IOException {
        service = PubSubFake.start();
        service.create(TOPIC, SUBSCRIPTION);
        ingest = IngestFolder.in(folder);
        encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        Files.writeString(
                folder.resolve("thalweg.yaml"), """
                deployment: test
                checkpoints: {dir: %s}
                google: {pubsub_endpoint: "%s"}
                """.formatted(folder.resolve("checkpoints"), service.endpoint()));
        define("");
    }

    @AfterEach
    void stop() {
        service.close();
    }

    /**
     * Writes the definition.
     *
     * @param source entries of {@code source}
     */
    private void define(String source) throws IOException {
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {pubsub: %s, pubsub_topic: %s, %s %s}
                sink: {parquet: table, every: 1s}
                dead_letters: {file: %s}
                """.formatted(
                        SUBSCRIPTION, TOPIC, source, Format.THRIFT_COMPACT.source, folder.resolve("dead.jsonl")));
    }

    private void publish(long from, long to) {
        for (long id = from; id < to; id++) {
            publish(encoder.encode(id));
        }
    }

    private String publish(byte[] data) {
        return service.publish(
                TOPIC,
                PubsubMessage.newBuilder().setData(ByteString.copyFrom(data)).build());
    }

    private List<Long> ids() throws IOException {
        List<Long> ids = ParquetFolder.longs(ParquetFolder.files(ingest.table()), "id");
        ids.sort(null);
        return ids;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static void check(Subprocess process) {
        assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
    }

    private static List<String> sorted(List<Map<String, @Nullable Object>> rows) {
        return rows.stream().map(String::valueOf).sorted().toList();
    }

    @Tag("test")
    @Test
    void ingestOnce_generatedMessages_becomeTheRowsOfAFile() throws IOException {
        Path file = folder.resolve("rides.bin");
        for (Object to : List.of("pubsub", file)) {
            CommandRun made = CommandRun.of(
                    "generate",
                    folder.resolve("rides.yaml"),
                    "--config",
                    folder.resolve("thalweg.yaml"),
                    "--count",
                    2_000,
                    "--to",
                    to,
                    "--quiet");
            assertThat(made.exit()).as(made.err()).isZero();
        }

        assertThat(ingest.succeed("--once", "--idle", "2s", "--parallelism", 2))
                .containsEntry("events", 2_000L)
                .containsEntry("written", 2_000L);
        List<String> rows = sorted(ParquetFolder.rows(ingest.table()));
        assertThat(service.acknowledged(SUBSCRIPTION)).isEqualTo(2_000);
        assertThat(ingest.succeed("--once", "--idle", "2s"))
                .as("only what is new")
                .containsEntry("events", 0L);

        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")).replace("parquet: table", "parquet: of_file"));
        assertThat(ingest.succeed("--input", file)).containsEntry("written", 2_000L);
        assertThat(rows).isEqualTo(sorted(ParquetFolder.rows(folder.resolve("of_file"))));
    }

    @Tag("test")
    @Test
    void ingestOnce_badMessages_areLettersThatNameTheMessage() throws IOException {
        publish(0, 30);
        byte[] ride = encoder.encode(30);
        String broken = publish(Arrays.copyOf(ride, ride.length - 1));
        String empty = service.publish(
                TOPIC, PubsubMessage.newBuilder().putAttributes("kind", "ping").build());

        assertThat(ingest.succeed("--once", "--idle", "2s"))
                .containsEntry("events", 32L)
                .containsEntry("bad", 2L)
                .containsEntry("written", 30L);

        assertThat(ingest.letters())
                .extracting(
                        letter -> letter.get("source").asText(),
                        letter -> letter.get("message_id").asText(),
                        letter -> letter.get("reason").asText(),
                        letter -> letter.has("offset"))
                .containsExactlyInAnyOrder(
                        tuple(SUBSCRIPTION, broken, "undecodable", false), tuple(SUBSCRIPTION, empty, "empty", false));
        assertThat(ids()).isEqualTo(range(0, 30));

        CommandRun replay = CommandRun.of(
                "replay", folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml"), "--quiet");
        assertThat(replay.exit()).as(replay.err()).isZero();
        assertThat(replay.err()).contains("letters=2 selected=2 repeated=0").contains("left=2");
    }

    /** The service delivers some messages twice, and again all that were not acknowledged when the process was killed. */
    @Tag("faults")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ingest_killedTwice_losesNothingAndDedupDropsRepeats(boolean dedup) throws Exception {
        define(dedup ? "dedup: 1h, streams: 3," : "streams: 3,");
        service.faults().duplicateEvery(7);
        long sent = 0;
        for (int kill = 0; kill < 2; kill++) {
            int before = service.acknowledged(SUBSCRIPTION);
            try (Subprocess process = ingest.start("--parallelism", 1 + kill)) {
                while (service.acknowledged(SUBSCRIPTION) <= before + 500) {
                    check(process);
                    publish(sent, sent + 40);
                    sent += 40;
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                process.signal(Subprocess.Signal.KILL);
                process.awaitExit(PATIENCE);
            }
            service.endLeases(SUBSCRIPTION);
        }

        do { // on a busy machine, no message may come for so long although there are more
            CommandRun last = ingest.run("--once", "--idle", "3s", "--parallelism", 2);
            assertThat(last.exit()).as(last.err()).isZero();
        } while (service.acknowledged(SUBSCRIPTION) < sent);

        List<Long> ids = ids();
        assertThat(new HashSet<>(ids)).as("nothing is lost").hasSize((int) sent);
        if (dedup) {
            assertThat(ids).isEqualTo(range(0, sent));
        }
        assertThat(service.acknowledged(SUBSCRIPTION)).isEqualTo((int) sent);
    }

    @Tag("faults")
    @Test
    void ingest_stopped_hasAcknowledgedItsRowsAndGivesBackTheRest() throws Exception {
        int port = FreePorts.next();
        try (Subprocess process = ingest.start("--port", port)) {
            publish(0, 300);
            while (service.acknowledged(SUBSCRIPTION) < 300) {
                check(process);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            String metrics = HttpOne.get(port, "/metrics");
            assertThat(metrics)
                    .contains("thalweg_ingest_delivered_total{ingest=\"rides\"} 300")
                    .contains("thalweg_ingest_unacknowledged{ingest=\"rides\"} 0")
                    .contains("thalweg_ingest_lag_seconds{ingest=\"rides\"}")
                    .contains("thalweg_ingest_repeated_total{ingest=\"rides\"} 0");
            publish(300, 400);
            process.signal(Subprocess.Signal.TERM);
            assertThat(process.awaitExit(PATIENCE))
                    .as(process.stderr().toString())
                    .isZero();
        }

        assertThat(ids()).hasSize(service.acknowledged(SUBSCRIPTION));
        assertThat(service.leased(SUBSCRIPTION)).isZero();
        assertThat(service.waiting(SUBSCRIPTION) + service.acknowledged(SUBSCRIPTION))
                .isEqualTo(400);
    }

    @Tag("test")
    @Test
    void ingest_missingSubscription_saysHowToCreateIt() throws IOException {
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")).replace("rides-lake", "none"));

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains("subscription projects/my-project/subscriptions/none does not exist")
                .contains("gcloud pubsub subscriptions create");
        assertThat(ingest.table()).doesNotExist();
    }

    @Tag("test")
    @Test
    void provision_twice_createsTopicAndSubscriptionOnce() throws IOException {
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml"))
                        .replace("rides-lake", "new")
                        .replace("topics/rides", "topics/new"));

        CommandRun first = ingest.run("--provision");
        CommandRun again = ingest.run("--provision");

        assertThat(first.exit()).as(first.err()).isZero();
        assertThat(first.out())
                .contains("created topic projects/my-project/topics/new")
                .contains("created subscription projects/my-project/subscriptions/new");
        assertThat(again.out()).contains("subscription projects/my-project/subscriptions/new is there");
        assertThat(service.hasTopic("projects/my-project/topics/new")).isTrue();
    }
}
