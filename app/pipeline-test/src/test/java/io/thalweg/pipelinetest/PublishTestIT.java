package io.thalweg.pipelinetest;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.pipelinetest.PublishTest.Input;
import io.thalweg.pipelinetest.PublishTest.TopicRecord;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.ViewFiles;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg test} of publishing; {@link ThalwegTestIT} shows that the examples pass. */
@Timeout(Await.TIMEOUT_SECONDS)
class PublishTestIT {
    private static final Path EXAMPLES = Checkout.file("examples");
    /** The FINAL row of campaign c0 at 12:00:20, after a PARTIAL one. */
    private static final int LOST = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path test;

    @BeforeEach
    void copyTheExample() throws IOException {
        Path tests = Files.createDirectory(folder.resolve("tests"));
        for (String file : List.of("campaign_views.yaml", "ads.csv", "tests/publish.yaml")) {
            Files.copy(EXAMPLES.resolve(file), folder.resolve(file));
        }
        test = tests.resolve("publish.yaml");
    }

    /** Keeps only the test of records. */
    private void withoutEvents() throws IOException {
        String text = Files.readString(test);
        Files.writeString(test, text.substring(0, text.indexOf("---\n")));
    }

    private void change(String from, String to) throws IOException {
        String text = Files.readString(test);
        assertThat(text).contains(from);
        Files.writeString(test, text.replace(from, to));
    }

    @Tag("test")
    @Test
    void test_wrongExpectations_showWhatDiffersAndAreRecorded() throws IOException {
        withoutEvents();
        change("under: [restart, rescale]", "under: []");
        change("counts: {rows: 5}", "counts: {rows: 6}");
        change("[{reason: undecodable}]", "[{reason: wrong_layout}]");
        change(
                "window_end: \"12:00:20\", features: {views_10s: 3}}\n        - ",
                "features: {views_10s: 9}}\n        - ");

        SuiteRun run = SuiteRun.of(test, false);

        assertThat(run.exit()).as(run.err()).isEqualTo(1);
        assertThat(run.out().lines().map(String::strip))
                .containsSubsequence(
                        "rows: expected 6, was 5",
                        "dead letters with reason undecodable: expected 0, was 1",
                        "dead letters with reason wrong_layout: expected 1, was 0",
                        "read at 2026-01-01T12:00:35Z of campaign=c0 differs:",
                        "views_10s: expected 9, was 3");

        SuiteRun recorded = SuiteRun.of(test, true);
        assertThat(recorded.exit()).as(recorded.out() + recorded.err()).isZero();
        assertThat(test)
                .content()
                .contains("counts: {rows: 5}", "dead_letters: [{reason: undecodable, count: 1}]")
                .contains("- {campaign: \"c0\", status: PRESENT, features: {views_10s: 3}}");
    }

    /** A topic that loses a row at the kill. */
    @Tag("faults")
    @Test
    void restart_rowThatIsLost_fails() throws Exception {
        ViewFiles files = ViewFiles.of(null, Map.of());
        PublishTest example = (PublishTest)
                PipelineTests.load(List.of(test), files, false, new HashSet<>()).get(0);
        TopicRecord lost = ((Input.Listed) example.input()).records().get(LOST);
        PublishTest plain = new PublishTest(
                example.name(),
                example.place(),
                example.view(),
                example.date(),
                example.input(),
                null,
                Set.of(Condition.RESTART));
        List<String> failures = new ArrayList<>();
        try (EmbeddedCluster flink = new EmbeddedCluster();
                TestBroker broker = new LosingBroker(lost)) {
            new PublishTestRun(
                            plain,
                            ConfiguredLookups.of(files.deploymentConfig()),
                            new TestCluster(flink, null, folder),
                            broker,
                            folder,
                            false)
                    .run(failures);
        }
        assertThat(failures)
                .containsExactly(
                        "under restart: a read of campaign=c0 returns PRESENT window_end=2026-01-01T12:00:20Z"
                                + " {views_10s=1}; without the kill it returns PRESENT window_end=2026-01-01T12:00:20Z {views_10s=3}");
    }

    /** The first topic is that of the run without a kill. */
    private static final class LosingBroker extends TestBroker {
        private final TopicRecord lost;

        LosingBroker(TopicRecord lost) {
            this.lost = lost;
        }

        @Override
        void write(String topic, List<TopicRecord> records) throws InterruptedException {
            super.write(
                    topic,
                    topic.equals("rows-0")
                            ? records
                            : records.stream()
                                    .filter(record -> !record.equals(lost))
                                    .toList());
        }
    }
}
