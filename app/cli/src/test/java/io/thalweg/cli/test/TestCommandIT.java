package io.thalweg.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.CommandRun;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg test}: through the real job, with restarts. */
@Timeout(Await.TIMEOUT_SECONDS)
class TestCommandIT {
    private static final Path EXAMPLES = Checkout.file("examples");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path view;

    @SuppressWarnings("NullAway.Init")
    private Path test;

    @BeforeEach
    void copyTheExample() throws IOException {
        Path tests = Files.createDirectory(folder.resolve("tests"));
        for (String file : new String[] {"campaign_views.yaml", "ads.csv", "tests/campaign_views.yaml"}) {
            Files.copy(EXAMPLES.resolve(file), folder.resolve(file));
        }
        view = folder.resolve("campaign_views.yaml");
        test = tests.resolve("campaign_views.yaml");
    }

    private static void change(Path file, String from, String to) throws IOException {
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to));
    }

    @Tag("test")
    @Test
    void test_examples_passAlsoUnderRestartRescaleAndOtherPartitions() {
        Path tests = EXAMPLES.resolve("tests");
        CommandRun run = CommandRun.of(
                "test",
                tests.resolve("campaign_views.yaml"),
                tests.resolve("demand.yaml"),
                tests.resolve("ride_events.yaml"));

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).as(run.out()).isZero();
        assertThat(run.out().lines().toList()).hasSize(4);
        assertThat(run.out())
                .contains(
                        "ok     campaign_views_counts_views_of_all_ads (view campaign_views), also under restart, rescale,"
                                + " shuffle_partitions")
                .contains("(ingest ride_events), also under restart, rescale")
                .contains("3 tests, 3 passed, 0 failed");
    }

    @Tag("faults")
    @Test
    void shufflePartitions_lateEvent_isRefused() throws IOException {
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: [shuffle_partitions]");
        change(test, "{at: \"+2s\", ad_id: ad9999}                # no campaign has it", "{at: \"12:00:08\"}");
        change(test, "skipped: 2, bad: 0, late: 0", "skipped: 1, bad: 0, late: 1");

        CommandRun run = CommandRun.of("test", test, "--quiet");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.out())
                .contains("under shuffle_partitions: 1 of the events is late, and which events are late depends on the"
                        + " partitions; test late events without it");
    }

    @Tag("test")
    @Test
    void test_changedWhere_showsRowsCountsAndEvents() throws IOException {
        change(view, "event_type: [view]", "event_type: [view, click]");
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: []");
        Path report = folder.resolve("reports").resolve("junit.xml");

        CommandRun run = CommandRun.of("test", test, "--junit", report);

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.out().lines().map(String::strip))
                .containsSubsequence(
                        "row campaign=c0 window_end=2026-01-01T12:00:10Z differs:",
                        "views_10s: expected 2, was 3",
                        "counted: event 1 (2026-01-01T12:00:01Z), event 2 (2026-01-01T12:00:04Z), event 3"
                                + " (2026-01-01T12:00:05Z)",
                        "in no row: event 6 (2026-01-01T12:00:14Z) skipped",
                        "events accepted: expected 4, was 5",
                        "events skipped: expected 2, was 1");
        assertThat(report).content().contains("tests=\"1\" failures=\"1\"", "views_10s: expected 2, was 3");
    }

    @Tag("test")
    @Test
    void test_rowsMissingAndNotExpected_areNamed() throws IOException {
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: []");
        change(test, "{campaign: c0, window_end: \"12:00:30\"", "{campaign: c0, window_end: \"12:00:40\"");

        assertThat(CommandRun.of("test", test, "--quiet").out().lines().map(String::strip))
                .containsSubsequence(
                        "row campaign=c0 window_end=2026-01-01T12:00:40Z is not there; these entities have rows at"
                                + " 2026-01-01T12:00:10Z, 2026-01-01T12:00:20Z, 2026-01-01T12:00:30Z",
                        "row campaign=c0 window_end=2026-01-01T12:00:30Z is not expected:",
                        "all features are 0");
    }

    @Tag("faults")
    @Test
    void record_changedView_writesWhatPasses() throws IOException {
        change(view, "event_type: [view]", "event_type: [view, click]");
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: []");

        CommandRun recorded = CommandRun.of("test", test, "--record");

        assertThat(recorded.exit()).as(recorded.out() + recorded.err()).isZero();
        assertThat(test)
                .content()
                .contains("# no campaign has it", "under: []", "explain: true")
                .contains("- {campaign: \"c0\", window_end: \"12:00:10\", features: {views_10s: 3}}")
                .contains("counts: {accepted: 5, skipped: 1, bad: 0, late: 0}");
        String once = Files.readString(test);
        assertThat(CommandRun.of("test", test).exit()).isZero();
        assertThat(CommandRun.of("test", test, "--record").exit()).isZero();
        assertThat(test).hasContent(once);
    }

    @Tag("faults")
    @Test
    void test_readsAndDeadLetters_areThoseOfTheMoment() throws IOException {
        change(test, "under: [restart, rescale, shuffle_partitions]", "under: []");
        change(test, "{at: \"+2s\", ad_id: ad9999}                # no campaign has it", "{raw: \"no JSON\"}");
        change(test, "counts: {accepted: 4, skipped: 2", "counts: {accepted: 4, skipped: 1");
        change(test, "bad: 0, late: 0}", "bad: 1, late: 0}\n  dead_letters: [{reason: undecodable}]");
        String reads = Files.readString(test);
        change(test, "{campaign: c9, status: NOT_FOUND}", """
                {campaign: c9, status: NOT_FOUND}
                    - {at: "12:00:10.900", rows: [{campaign: c0, status: NOT_FOUND}]}
                    - {at: "13:30:00", rows: [{campaign: c0, status: OUTSIDE_MAX_AGE}]}
                """.stripTrailing());
        CommandRun right = CommandRun.of("test", test);
        assertThat(right.exit()).as(right.out() + right.err()).isZero();

        Files.writeString(
                test,
                reads.replace(
                                "window_end: \"12:00:10\", features: {views_10s: 2}}\n        - {campaign: c9, status: NOT_FOUND}",
                                "window_end: \"12:00:20\", features: {views_10s: 3}}\n        - {campaign: c9, status: ZERO}")
                        .replace("reason: undecodable}", "reason: late}"));
        CommandRun wrong = CommandRun.of("test", test);
        assertThat(wrong.exit()).isEqualTo(1);
        assertThat(wrong.out().lines().map(String::strip))
                .containsSubsequence(
                        "dead letters with reason late: expected 1, was 0",
                        "dead letters with reason undecodable: expected 0, was 1",
                        "read at 2026-01-01T12:00:13Z of campaign=c0 differs:",
                        "window_end: expected 2026-01-01T12:00:20Z, was 2026-01-01T12:00:10Z",
                        "views_10s: expected 3, was 2",
                        "read at 2026-01-01T12:00:13Z of campaign=c9 differs:",
                        "status: expected ZERO, was NOT_FOUND");

        assertThat(CommandRun.of("test", test, "--record").exit()).isZero();
        assertThat(test)
                .content()
                .contains("- at: \"12:00:13\"", "- {campaign: \"c9\", status: NOT_FOUND}")
                .contains("- {campaign: \"c0\", status: PRESENT, window_end: \"12:00:10\", features: {views_10s: 2}}")
                .contains("dead_letters: [{reason: undecodable, count: 1}]");
        assertThat(CommandRun.of("test", test).exit()).isZero();
    }

    @Tag("faults")
    @Test
    void init_test_passes() {
        Path market = folder.resolve("market");
        assertThat(CommandRun.of("init", market).exit()).isZero();

        CommandRun run = CommandRun.of("test", market.resolve("tests"));

        assertThat(run.exit()).as(run.out() + run.err()).isZero();
    }
}
