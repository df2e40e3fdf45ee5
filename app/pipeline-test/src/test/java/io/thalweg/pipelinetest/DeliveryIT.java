package io.thalweg.pipelinetest;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec.Delivery;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.pipelinetest.PipelineTest.Events;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.ViewFiles;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The conditions {@code at_least_once} and {@code exactly_once}: through Kafka, with a kill. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
class DeliveryIT {
    private static final Path EXAMPLES = Checkout.file("examples");

    /** The number of events in the example of a delivery. */
    private static final int EVENTS = 6;

    /** The rows of the two windows that its fourth event ends, for two campaigns. */
    private static final int ENDED_ROWS = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void test_viewsOfAllFormats_holdWhatTheyPromise() throws IOException {
        Files.createDirectory(folder.resolve("tests"));
        Files.copy(EXAMPLES.resolve("ads.csv"), folder.resolve("ads.csv"));
        String view = Files.readString(EXAMPLES.resolve("campaign_views.yaml"));
        String test = Files.readString(EXAMPLES.resolve("tests/delivery.yaml"));
        for (String format : List.of("json", "packed")) {
            String name = "campaign_views_" + format;
            Files.writeString(
                    folder.resolve(name + ".yaml"),
                    view.replace("name: campaign_views", "name: " + name)
                            .replace("topic: campaign-views, format: json", "topic: rows, format: " + format));
            Files.writeString(
                    folder.resolve("tests").resolve(format + ".yaml"),
                    test.replace("campaign_views_are", format + "_rows_are")
                            .replace("campaign_views.yaml", name + ".yaml"));
        }

        Files.copy(EXAMPLES.resolve("demand.yaml"), folder.resolve("demand.yaml"));
        Files.writeString(
                folder.resolve("tests/demand.yaml"), // with a bad event, which becomes a dead letter
                Files.readString(EXAMPLES.resolve("tests/demand.yaml"))
                        .replace("under: [restart, rescale, shuffle_partitions]", "under: [exactly_once]"));

        SuiteRun run = SuiteRun.of(folder.resolve("tests"), false);

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out())
                .contains("ok     demand_counts_a_rider_once_a_minute (view demand), also under exactly_once")
                .contains(
                        "ok     json_rows_are_delivered (view campaign_views_json), also under at_least_once, exactly_once")
                .contains("3 tests, 3 passed, 0 failed");
    }

    @Test
    void test_ingestIntoATopic_holdsWhatItPromises() throws IOException {
        Path tests = Files.createDirectory(folder.resolve("tests"));
        Files.copy(EXAMPLES.resolve("rides.thrift"), folder.resolve("rides.thrift"));
        Files.writeString(
                folder.resolve("ride_events.yaml"),
                Files.readString(EXAMPLES.resolve("ride_events.yaml"))
                        .replace("sink: {parquet: ../out/rides}", "sink: {topic: rides-json, format: json}"));
        Files.writeString(
                tests.resolve("ride_events.yaml"),
                Files.readString(EXAMPLES.resolve("tests/ride_events.yaml"))
                        .replace(
                                "under: [restart, rescale, shuffle_partitions]",
                                "under: [at_least_once, exactly_once]"));

        SuiteRun run = SuiteRun.of(tests, false);

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out()).contains("(ingest ride_events), also under at_least_once, exactly_once");
    }

    /** The check of {@code exactly_once} on an ingest that only promises {@code at_least_once}. */
    @Test
    void exactlyOnce_ingestThatRepeats_fails() throws Exception {
        Files.copy(EXAMPLES.resolve("rides.thrift"), folder.resolve("rides.thrift"));
        Files.writeString(
                folder.resolve("ride_events.yaml"),
                Files.readString(EXAMPLES.resolve("ride_events.yaml"))
                        .replace("sink: {parquet: ../out/rides}", "sink: {topic: rides-json, format: json}"));
        Path file = Files.writeString(
                folder.resolve("test.yaml"),
                Files.readString(EXAMPLES.resolve("tests/ride_events.yaml"))
                        .replace(
                                "../ride_events.yaml",
                                folder.resolve("ride_events.yaml").toString())
                        .replace(", status: TEST", "") // each message is a row, also those between checkpoint and kill
                        .replace("  - {raw: \"not a message\"}\n", "")
                        .replace("under: [restart, rescale, shuffle_partitions]", "under: [at_least_once]"));
        IngestTest test =
                (IngestTest) PipelineTests.load(List.of(file), ViewFiles.of(null, Map.of()), false, new HashSet<>())
                        .get(0);
        IngestTest lying = new IngestTest(
                test.name(),
                test.place(),
                test.plan(),
                test.date(),
                test.messages(),
                null,
                Set.of(Condition.EXACTLY_ONCE),
                Map.of(Condition.EXACTLY_ONCE, test.delivered().get(Condition.AT_LEAST_ONCE)),
                false);
        List<String> failures = new ArrayList<>();
        try (EmbeddedCluster flink = new EmbeddedCluster();
                TestBroker broker = new TestBroker()) {
            new IngestTestRun(lying, new TestCluster(flink, null, folder), broker, folder, false).run(failures);
        }
        assertThat(failures)
                .singleElement()
                .asString()
                .startsWith("under exactly_once: row {\"event_id\":\"e")
                .endsWith("is in the topic 1 times more than without the kill");
    }

    /** The example of a delivery, job by job. */
    private final class DeliveryRun implements AutoCloseable {
        private final ViewFiles files = ViewFiles.of(null, Map.of());
        private final ConfiguredLookups lookups = ConfiguredLookups.of(files.deploymentConfig());
        private final EmbeddedCluster flink = new EmbeddedCluster();
        private final TestBroker broker = new TestBroker();
        private final TestCluster cluster = new TestCluster(flink, null, folder);
        private final FeatureView view;
        private final String events;

        /** The comparison with the rows of an undisturbed run. */
        final Comparison comparison;

        DeliveryRun() throws IOException, InterruptedException {
            ViewTest test = (ViewTest)
                    PipelineTests.load(List.of(EXAMPLES.resolve("tests/delivery.yaml")), files, false, new HashSet<>())
                            .get(0);
            view = test.view();
            events = Files.write(folder.resolve("events.jsonl"), ((Events.Inline) test.events()).lines())
                    .toString();
            RowLedger plain = new RowLedger(view, Set.of());
            cluster.run(new ViewJob(view, List.of(events), lookups, plain), 1);
            comparison = new Comparison(view, plain, row -> List.of());
        }

        DeliveredViewJob job(Delivery delivery) {
            return DeliveredViewJob.of(view, delivery, events, lookups, broker);
        }

        /** Kills a job after a checkpoint, which is taken after half of {@code total} events. */
        RowLedger killed(TestCluster.Job<List<byte[]>> job, long total) throws IOException, InterruptedException {
            return TopicRows.ledger(view, cluster.run(job, Condition.RESTART, total));
        }

        @Override
        public void close() {
            try (broker) {
                flink.close();
            }
        }
    }

    /**
     * A job whose rows before the kill may go elsewhere. It waits for them without limit, because on a busy machine rows may arrive later
     * than {@code thalweg test} waits.
     */
    private static final class PatientJob implements TestCluster.Job<List<byte[]>> {
        private final DeliveredViewJob first;
        private final DeliveredViewJob job;
        private final int beforeCheckpoint;
        private final int beforeKill;
        private boolean checkpointed;

        /**
         * Creates a job that has not run yet.
         *
         * @param first runs until the kill
         * @param beforeCheckpoint the rows to wait for before the checkpoint
         * @param beforeKill the rows to wait for before the kill
         */
        PatientJob(DeliveredViewJob first, DeliveredViewJob job, int beforeCheckpoint, int beforeKill) {
            this.first = first;
            this.job = job;
            this.beforeCheckpoint = beforeCheckpoint;
            this.beforeKill = beforeKill;
        }

        @Override
        public Closeable open(String id) {
            return job.open(id);
        }

        @Override
        public void addTo(StreamExecutionEnvironment environment, String id) {
            (checkpointed ? job : first).addTo(environment, id);
        }

        @Override
        public Duration checkpoints() {
            return job.checkpoints();
        }

        @Override
        public void settle() {
            int rows = checkpointed ? beforeKill : beforeCheckpoint;
            Await.until(rows + " rows", () -> first.result("").size() >= rows);
            checkpointed = true;
        }

        @Override
        public List<byte[]> result(String id) {
            return job.result(id);
        }
    }

    /** The check of {@code at_least_once} on a job that loses the rows of two windows, which it wrote before the checkpoint. */
    @Test
    void atLeastOnce_jobThatLosesRows_fails() throws Exception {
        try (DeliveryRun run = new DeliveryRun()) {
            PatientJob loses = new PatientJob(
                    run.job(Delivery.AT_LEAST_ONCE), run.job(Delivery.AT_LEAST_ONCE), ENDED_ROWS, ENDED_ROWS);

            RowLedger came = run.killed(loses, EVENTS + 2);

            assertThat(run.comparison.of("at_least_once", came))
                    .contains("under at_least_once: row {\"view\":\"campaign_views\",\"campaign\":\"c0\","
                            + "\"window_end\":\"2026-01-01T12:00:10Z\",\"finality\":\"FINAL\"} is not there");
        }
    }

    /** The check of {@code exactly_once} on a job that only promises {@code at_least_once}. */
    @Test
    void exactlyOnce_jobThatRepeats_fails() throws Exception {
        try (DeliveryRun run = new DeliveryRun()) {
            DeliveredViewJob job = run.job(Delivery.AT_LEAST_ONCE);

            RowLedger came = run.killed(new PatientJob(job, job, 0, ENDED_ROWS), EVENTS);

            assertThat(run.comparison.of("exactly_once", came)).isEmpty();
            assertThat(run.comparison.repeats("exactly_once", came))
                    .contains(
                            "under exactly_once: row {\"view\":\"campaign_views\",\"campaign\":\"c0\","
                                    + "\"window_end\":\"2026-01-01T12:00:20Z\",\"finality\":\"FINAL\"} is in the topic 2 times");
        }
    }
}
