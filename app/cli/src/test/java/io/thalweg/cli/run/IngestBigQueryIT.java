package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.DynamicMessage;
import io.grpc.Status;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.google.bigquery.BigQueryColumns;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code thalweg ingest} into a fake of BigQuery, through Google's own client. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestBigQueryIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int PARTITIONS = 3;
    private static final String TABLE = "my-project.lake.rides";
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    @TempDir
    Path folder;

    private BigQueryFake service;
    private RidesTopic rides;
    private IngestFolder ingest;

    @BeforeEach
    void define() throws IOException {
        service = BigQueryFake.start();
        rides = BROKER.topic(folder, PARTITIONS);
        ingest = rides.ingest();
        rides.configure("google: {endpoint: \"%s\", rest_endpoint: \"%s\"}"
                .formatted(service.endpoint(), service.restEndpoint()));
        define("exactly_once");
        IngestPlan plan = IngestPlan.of(Definitions.load(List.of(folder.resolve("rides.yaml")))
                .ingests()
                .get(0));
        service.createTable(TABLE, BigQueryColumns.of(plan.table()), true);
    }

    @AfterEach
    void stop() {
        service.close();
    }

    private void define(String delivery) throws IOException {
        rides.define("", "bigquery: %s, delivery: %s".formatted(TABLE, delivery));
    }

    private List<Long> ids() {
        List<Long> ids = new ArrayList<>();
        for (DynamicMessage row : service.rows(TABLE)) {
            ids.add((Long) row.getField(row.getDescriptorForType().findFieldByName("id")));
        }
        ids.sort(null);
        return ids;
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static void check(Subprocess process) {
        assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
    }

    @Tag("test")
    @ParameterizedTest
    @ValueSource(strings = {"exactly_once", "at_least_once", "at_least_once, write: insert_all"})
    void ingestOnce_twice_eachRecordIsWrittenOnce(String delivery) throws IOException {
        define(delivery);
        rides.send(0, 1_000);
        assertThat(ingest.succeed("--once"))
                .containsEntry("events", 1_000L)
                .containsEntry("written", 1_000L)
                .containsEntry("refused", 0L);

        rides.send(1_000, 1_500);
        assertThat(ingest.succeed("--once", "--parallelism", 2))
                .as("only what is new")
                .containsEntry("events", 500L)
                .containsEntry("written", 500L);

        assertThat(ids()).isEqualTo(range(0, 1_500));
    }

    @Tag("faults")
    @ParameterizedTest
    @ValueSource(strings = {"exactly_once", "at_least_once"})
    void ingestFiles_theLastRowsAreCommittedToo(String delivery) throws IOException {
        define(delivery);
        for (int file = 0; file < 3; file++) {
            Files.write(
                    folder.resolve(file + ".bin"),
                    Rides.framed(LongStream.range(file * 100L, file * 100L + 100)
                            .mapToObj(rides.encoder()::encode)
                            .toList()));
        }

        assertThat(ingest.succeed("--input", folder.resolve("*.bin"), "--parallelism", 2))
                .containsEntry("events", 300L)
                .containsEntry("written", 300L);

        assertThat(ids()).isEqualTo(range(0, 300));
    }

    /** The write API takes rows of up to 10 MB. */
    @Tag("faults")
    @Test
    void ingestFiles_rowOfMoreThanTheServiceTakes_isALetterAndTheOthersAreWritten() throws IOException {
        define("at_least_once");
        Path definition = folder.resolve("rides.yaml");
        Files.writeString(
                definition,
                Files.readString(definition)
                        .replace("sink:", "dead_letters: {file: dead.jsonl}\nsink:")
                        .replace("compact}}", "compact}, limits: {message: 10MiB}}"));
        byte[] status = new byte[10_000_000];
        Arrays.fill(status, (byte) 'x');
        ByteArrayOutputStream large = new ByteArrayOutputStream();
        large.writeBytes(new byte[] {0x16, 2, 0x18, (byte) 0x80, (byte) 0xAD, (byte) 0xE2, 0x04});
        large.writeBytes(status);
        large.write(0);
        Files.write(
                folder.resolve("rides.bin"),
                Rides.framed(List.of(
                        rides.encoder().encode(0),
                        large.toByteArray(),
                        rides.encoder().encode(2))));

        assertThat(ingest.succeed("--input", folder.resolve("rides.bin")))
                .containsEntry("rows", 3L)
                .containsEntry("refused", 1L)
                .containsEntry("written", 2L);
        assertThat(ingest.letters())
                .singleElement()
                .satisfies(letter -> assertThat(letter.get("stage").asText() + " "
                                + letter.get("reason").asText())
                        .isEqualTo("sink too_large"));
        assertThat(ids()).isEqualTo(List.of(0L, 2L));
    }

    @Tag("test")
    @Test
    void ingestOnce_refusedRows_areLettersAndCounted() throws IOException {
        service.faults().refuse("DONE"::equals);
        rides.send(0, 300);
        Path letters = folder.resolve("dead.jsonl");

        Map<String, Long> counts = ingest.succeed("--once", "--dead-letters", letters);

        long refused = counts.getOrDefault("refused", 0L);
        assertThat(refused).isEqualTo(75);
        assertThat(counts).containsEntry("written", 300 - refused);
        List<JsonNode> found = new ArrayList<>();
        for (String line : Files.readAllLines(letters)) {
            found.add(JSON.readTree(line));
        }
        assertThat(found)
                .hasSize((int) refused)
                .extracting(
                        letter -> letter.get("stage").asText(),
                        letter -> letter.get("reason").asText(),
                        letter -> letter.get("source").asText())
                .containsOnly(tuple("sink", "refused", rides.name()));
        assertThat(ids()).hasSize((int) (300 - refused));
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"exactly_once", "at_least_once"})
    void ingest_killedThreeTimesAndRescaled_losesNothing(String delivery) throws Exception {
        define(delivery);
        long sent = 0;
        for (int kill = 0; kill < 3; kill++) {
            long before = service.rowCount(TABLE);
            try (Subprocess process = ingest.start("--parallelism", 1 + kill)) {
                while (service.rowCount(TABLE) <= before + kill * 1_000L) {
                    check(process);
                    rides.send(sent, sent + 100);
                    sent += 100;
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                process.signal(Subprocess.Signal.KILL);
                process.awaitExit(PATIENCE);
            }
            if (delivery.equals("exactly_once")) {
                List<Long> ids = ids();
                assertThat(new HashSet<>(ids))
                        .as("what readers see between runs")
                        .hasSameSizeAs(ids);
            }
        }

        ingest.succeed("--once", "--parallelism", 2);

        List<Long> ids = ids();
        assertThat(delivery.equals("exactly_once") ? ids : List.copyOf(new java.util.TreeSet<>(ids)))
                .isEqualTo(range(0, sent));
    }

    /** Requests fail, answers are lost, and the service is unavailable for a while. */
    @Tag("faults")
    @Test
    void ingest_serviceInTrouble_waitsAndWritesEachRecordOnce() throws Exception {
        int port = FreePorts.next();
        try (Subprocess process = ingest.start("--port", port)) {
            rides.send(0, 1_000);
            while (service.rowCount(TABLE) < 1_000) {
                check(process);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            Status lost = Status.UNAVAILABLE.withDescription("on demand");
            service.faults().afterAppend(lost, lost);
            service.faults().beforeAppend(lost);
            service.faults().afterFlush(lost);
            rides.send(1_000, 2_000);
            while (service.rowCount(TABLE) < 2_000) {
                check(process);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            service.faults().away(true);
            rides.send(2_000, 3_000);
            Await.until(() -> process.stderr().toString(), () -> {
                check(process);
                return service.faults().turnedAway() >= 5;
            });
            service.faults().away(false);
            while (service.rowCount(TABLE) < 3_000) {
                check(process);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(HttpOne.get(port, "/metrics"))
                    .contains("thalweg_ingest_events_total{ingest=\"rides\",outcome=\"written\"} 3000")
                    .contains("thalweg_ingest_events_total{ingest=\"rides\",outcome=\"refused\"} 0")
                    .contains("thalweg_ingest_writers{ingest=\"rides\"} 1")
                    .containsPattern("thalweg_ingest_append_seconds_count\\{ingest=\"rides\"} [1-9]");
            process.signal(Subprocess.Signal.TERM);
            assertThat(process.awaitExit(PATIENCE))
                    .as(process.stderr().toString())
                    .isZero();
        }

        assertThat(ids()).isEqualTo(range(0, 3_000));
    }

    @Tag("faults")
    @Test
    void ingest_fixedWriters_haveAStreamEach() throws Exception {
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")).replace("every: 1s", "every: 1s, writers: 5"));
        service.faults().appendDelayMs(50);
        rides.send(0, 60_000);

        ingest.succeed("--once", "--parallelism", 2);

        assertThat(service.streamsMade()).isEqualTo(5);
        assertThat(ids()).isEqualTo(range(0, 60_000));
    }

    @Tag("faults")
    @Test
    void ingest_olderSavepointThanTheTable_isRefused() throws Exception {
        try (Subprocess process = ingest.start()) {
            rides.send(0, 100);
            while (service.rowCount(TABLE) < 100) {
                check(process);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            Path older = ingest.checkpoints().get(0);
            Path copy = Files.createDirectories(folder.resolve("older/chk-1"));
            Files.copy(older.resolve("_metadata"), copy.resolve("_metadata"));
            rides.send(100, 200);
            while (service.rowCount(TABLE) < 200) {
                check(process);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            process.signal(Subprocess.Signal.KILL);
            process.awaitExit(PATIENCE);

            CommandRun run = ingest.run("--once", "--resume", copy);

            assertThat(run.exit()).as(run.err()).isEqualTo(1);
            assertThat(run.err()).contains("this checkpoint is older than the table");
        }
        assertThat(ids()).isEqualTo(range(0, 200));
        assertThat(ingest.succeed("--once"))
                .as("latest is not what was refused")
                .containsEntry("events", 0L);
    }

    @Tag("test")
    @Test
    void ingest_missingTable_saysSoBeforeItStarts() throws IOException {
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")).replace(TABLE, "my-project.lake.none"));

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("table my-project.lake.none of BigQuery is missing");
    }
}
