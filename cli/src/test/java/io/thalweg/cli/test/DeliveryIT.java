package io.thalweg.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.ConfiguredLookups;
import io.thalweg.cli.ViewFiles;
import io.thalweg.cli.run.CommandRun;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.cli.test.PipelineTest.Events;
import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.model.SinkSpec.Delivery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The conditions {@code at_least_once} and {@code exactly_once}: through Kafka, with a kill. */
@Timeout(240)
class DeliveryIT {
    private static final Path EXAMPLES = Path.of("..", "examples");

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

        CommandRun run = CommandRun.of("test", folder.resolve("tests"), EXAMPLES.resolve("tests/demand.yaml"));

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out())
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

        CommandRun run = CommandRun.of("test", tests);

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out()).contains("(ingest ride_events), also under at_least_once, exactly_once");
    }

    /** What the check of {@code exactly_once} says of an ingest that only promises {@code at_least_once}. */
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
            new IngestTestRun(lying, new TestCluster(flink, folder), broker, folder, false).run(failures);
        }
        assertThat(failures)
                .singleElement()
                .asString()
                .startsWith("under exactly_once: row {\"event_id\":\"e")
                .endsWith("is in the topic 1 times more than without the kill");
    }

    /** What the check of {@code exactly_once} says of a job that only promises {@code at_least_once}. */
    @Test
    void exactlyOnce_jobThatRepeats_fails() throws Exception {
        ViewFiles files = ViewFiles.of(null, Map.of());
        ViewTest test = (ViewTest)
                PipelineTests.load(List.of(EXAMPLES.resolve("tests/delivery.yaml")), files, false, new HashSet<>())
                        .get(0);
        Path events = Files.write(folder.resolve("events.jsonl"), ((Events.Inline) test.events()).lines());
        ConfiguredLookups lookups = ConfiguredLookups.of(files.deploymentConfig());
        try (EmbeddedCluster flink = new EmbeddedCluster();
                TestBroker broker = new TestBroker()) {
            TestCluster cluster = new TestCluster(flink, folder);
            RowLedger plain = new RowLedger(test.view(), Set.of());
            cluster.run(new ViewJob(test.view(), events.toString(), lookups, plain), 1);
            Comparison comparison = new Comparison(test.view(), plain, row -> List.of());
            DeliveredViewJob repeats =
                    DeliveredViewJob.of(test.view(), Delivery.AT_LEAST_ONCE, events.toString(), lookups, broker);

            RowLedger came = TopicRows.ledger(test.view(), cluster.run(repeats, Condition.EXACTLY_ONCE, 6));

            assertThat(comparison.of("exactly_once", came)).isEmpty();
            assertThat(comparison.repeats("exactly_once", came))
                    .contains(
                            "under exactly_once: row {\"view\":\"campaign_views\",\"campaign\":\"c0\","
                                    + "\"window_end\":\"2026-01-01T12:00:20Z\",\"finality\":\"FINAL\"} is in the topic 2 times");
        }
    }
}
