package io.thalweg.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.CommandRun;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Definitions of {@code kind: Test}: which are accepted, and the problems of the others. */
class TestDefinitionsTest {
    private static final Path EXAMPLES = Checkout.file("examples");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private Path write(String view, String rest) throws IOException {
        return Files.writeString(
                folder.resolve("test.yaml"),
                "apiVersion: thalweg/v1\nkind: Test\nname: sample\nview: " + EXAMPLES.resolve(view) + "\n" + rest);
    }

    @Test
    void validate_examples_areValid() {
        CommandRun run = CommandRun.of("validate", EXAMPLES.resolve("tests"));

        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isZero();
        assertThat(run.out())
                .contains("demand_counts_a_rider_once_a_minute: valid; test of view demand")
                .contains("campaign_views_counts_views_of_all_ads: valid; test of view campaign_views")
                .contains("campaign_views_are_delivered: valid; test of view campaign_views")
                .contains("campaign_views_are_published: valid; test of publishing view campaign_views")
                .contains("ride_events_drops_tests_and_keeps_the_rest: valid; test of ingest ride_events");
    }

    @Test
    void test_manyProblems_areReportedTogether() throws IOException {
        Path file = write("campaign_views.yaml", """
                events:
                  - {at: "12:61", ad_id: ad0}
                  - {at: "12:00:05", event_time: 5}
                  - 7
                  - {raw: "a\\nb"}
                expect:
                  rows:
                    - {campaign: 5, window_end: "12:00:10", features: {views_10s: 1}}
                    - {campaing: c0, window_end: "12:00:11", features: {view_10s: many, views_10s: {about: 1}}}
                  no_others: true
                  counts: {accepted: -1, reasons: {missing: 1}}
                under: [restart, sometimes]
                explain: NO
                """);
        CommandRun run = CommandRun.of("test", file);

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.failures())
                .extracting(line -> line.substring(line.indexOf("test.yaml:") + "test.yaml:".length()))
                .containsExactly(
                        "6: events[0].at: must be a time in quotes such as 12:00:05, +30s after the event before, or"
                                + " 2026-01-01T12:00:05Z, was '12:61'",
                        "7: events[1].at: the event has the view's time field event_time, too; keep one of them",
                        "8: events[2]: must be a mapping of fields such as {at: \"12:00:05\", rider_id: r1}, was 7",
                        "9: events[3].raw: must be one line of text, was 'a\\nb'",
                        "12: expect.rows[0].campaign: must be text; write a number in quotes, was 5",
                        "13: expect.rows[1].campaign: is required, such as campaign: a",
                        "13: expect.rows[1].window_end: must be the end of a window, a whole multiple of windows.every"
                                + " (10s) such as 2026-01-01T12:00:10Z, was '12:00:11'",
                        "13: expect.rows[1].features.view_10s: is not a feature of view campaign_views; did you mean"
                                + " 'views_10s'?",
                        "13: expect.rows[1].features.view_10s: must be a number, null, or {about: 0.3, within: 0.01},"
                                + " was 'many'",
                        "13: expect.rows[1].features.views_10s.within: is required, such as within: 0.01",
                        "13: expect.rows[1].campaing: is not a known key; did you mean 'campaign'?",
                        "14: expect.no_others: is not a known key; known: counts, dead_letters, no_other_rows,"
                                + " reads, rows",
                        "15: expect.counts.accepted: must be a whole number of at least 0, was -1",
                        "15: expect.counts.reasons.missing: is not a known key; known: cell, coordinate, invalid_text, late,"
                                + " late_idle, missing_field, time_invalid, time_out_of_range, too_large, undecodable, wrong_type",
                        "16: under[1]: must be one of restart, rescale, shuffle_partitions, at_least_once, exactly_once,"
                                + " cluster, was 'sometimes'",
                        "17: explain: must be true or false, was 'NO'");
    }

    @Test
    void test_ofPublishWithWrongFinality_isAProblem() throws IOException {
        String row = "  - {campaign: c0, window_end: \"12:00:10\", features: {}, %s}\n";
        Path file = Files.writeString(
                folder.resolve("test.yaml"),
                "apiVersion: thalweg/v1\nkind: Test\nname: rows\npublish: " + EXAMPLES.resolve("campaign_views.yaml")
                        + "\nrecords:\n" + row.formatted("finality: final") + row.formatted("finality: PARTIAL")
                        + row.formatted("finality: PARTIAL, sequence: -1")
                        + row.formatted("finality: PARTIAL, sequence: 3") + "expect: {counts: {rows: 1}}\n");

        assertThat(CommandRun.of("test", file).failures())
                .extracting(line -> line.substring(line.indexOf("test.yaml:") + "test.yaml:".length()))
                .containsExactly(
                        "6: records[0].finality: must be FINAL or PARTIAL, was 'final'",
                        "7: records[1].finality: a PARTIAL row has a number that orders it, such as sequence: 1",
                        "8: records[2].sequence: must be a whole number of at least 0, was -1");
    }

    @Test
    void test_ofPublishWithManyProblems_areReportedTogether() throws IOException {
        String head = "apiVersion: thalweg/v1\nkind: Test\nname: %s\npublish: %s\n";
        Path view = EXAMPLES.resolve("campaign_views.yaml");
        Path file = Files.writeString(
                folder.resolve("test.yaml"),
                head.formatted("records_of_all_kinds", view) + """
                defaults: {features: {}}
                records:
                  - {campaign: c0, window_end: "12:00:10", features: {view_10s: 2}}
                  - {at: "12:00:05", campaign: 7, window_end: noon, feature: {}}
                  - 7
                  - {base64: "*"}
                expect:
                  counts: {accepted: 1}
                  dead_letters: [{reason: late}]
                  rows: []
                under: [restart, exactly_once]
                ---
                """ + head.formatted("nothing", view)
                        + "expect: {counts: {rows: 1}}\n---\n"
                        + head.formatted("both", view) + "view: " + view
                        + "\nrecords: []\nevents: []\nexpect: {counts: {rows: 1}}\n");

        CommandRun run = CommandRun.of("test", file);

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.failures())
                .extracting(line -> line.substring(line.indexOf("test.yaml:") + "test.yaml:".length()))
                .containsExactly(
                        "5: defaults: is for events, and this test has records; remove it",
                        "7: records[0].features.view_10s: is not a feature of view campaign_views; did you mean 'views_10s'?;"
                                + " a record of another layout is written as {raw: TEXT}",
                        "8: records[1].window_end: must be a time in quotes such as 12:01:00 or 2026-01-01T12:01:00Z, was"
                                + " 'noon'",
                        "8: records[1].campaign: must be text; write a number in quotes, was 7",
                        "8: records[1].features: is required, such as features: {views_10s: 1}",
                        "8: records[1].at: must be at least the time of the record above, which is written at"
                                + " 2026-01-01T12:00:10Z, was '12:00:05'",
                        "8: records[1].feature: is not a known key; did you mean 'features'?",
                        "9: records[2]: must be a row such as {campaign: …, window_end: \"12:01:00\", features: {…}},"
                                + " {progress: \"12:01:00\"}, {raw: TEXT} or {base64: BYTES}, was 7",
                        "10: records[3].base64: must be base64 with padding, was '*'",
                        "12: expect.counts.accepted: is not a known key; known: rows",
                        "13: expect.dead_letters[0].reason: must be one of undecodable, wrong_view, wrong_layout, invalid_text, refused, was"
                                + " 'late'",
                        "14: expect.rows: is not a known key; known: counts, dead_letters, reads",
                        "15: under: exactly_once does not apply to tests of publish; use restart or rescale",
                        "17: a test of publish needs either events, from which the view makes rows, or records of its"
                                + " topic; add one",
                        "23: a test of publish needs either events, from which the view makes rows, or records of its"
                                + " topic; remove one",
                        "26: publish: a test has one of the keys view, ingest and publish; remove the others");
    }

    @Test
    void test_publishWithoutATopic_isRefused() throws IOException {
        String view = Files.readString(EXAMPLES.resolve("campaign_views.yaml"))
                .replace("ads.csv", EXAMPLES.resolve("ads.csv").toString());
        Path without = Files.writeString(folder.resolve("view.yaml"), view.replaceFirst("sink: .*\n", ""));
        Path file = Files.writeString(
                folder.resolve("test.yaml"),
                "apiVersion: thalweg/v1\nkind: Test\nname: sample\npublish: " + without
                        + "\nrecords: []\nexpect: {counts: {rows: 0}}\n");

        assertThat(CommandRun.of("test", file).failures())
                .singleElement()
                .asString()
                .endsWith(
                        "publish: view campaign_views has no sink: there is no topic to publish from; add sink: {topic:"
                                + " campaign_views-rows} to it");
    }

    @Test
    void test_deliveryWithoutATopic_isRefused() throws IOException {
        Path view = folder.resolve("view.yaml");
        Files.writeString(
                view,
                Files.readString(EXAMPLES.resolve("campaign_views.yaml"))
                        .replace("ads.csv", EXAMPLES.resolve("ads.csv").toString())
                        .replaceFirst("sink: .*\n", ""));
        Path ofView = write(view.toString(), "events: []\nexpect: {rows: []}\nunder: [exactly_once]\n");
        Path ofIngest = Files.writeString(
                folder.resolve("ingest-test.yaml"),
                Files.readString(ofView)
                        .replace("name: sample", "name: another")
                        .replace("view: " + view, "ingest: " + EXAMPLES.resolve("ride_events.yaml"))
                        .replace("exactly_once", "at_least_once"));

        CommandRun run = CommandRun.of("test", ofView, ofIngest);

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.failures())
                .extracting(line -> line.substring(line.indexOf("under:")))
                .containsExactly(
                        "under: exactly_once is what a topic of rows is promised, and view campaign_views has no sink;"
                                + " remove it, or add sink: {topic: campaign_views-rows} to the view",
                        "under: at_least_once is what a topic is promised, and ingest ride_events writes to parquet "
                                + EXAMPLES.resolveSibling("out/rides")
                                + ". A test writes its rows to files, and restart"
                                + " checks that they hold each row once; remove it");
    }

    @Test
    void test_cells_mustBeOfTheResolution() throws IOException {
        Path file = write("demand.yaml", """
                events: []
                expect:
                  rows:
                    - {cell: 882a1072527ffff, product: x, window_end: "12:01:00", absent: true}
                    - {cell: {lat: 91, lng: 0}, product: 17A2B60C-29DD-5F76-95F3-B65DA5CBBDBE, window_end: "12:01:00", absent: true}
                """);

        assertThat(CommandRun.of("test", file).failures())
                .extracting(line -> line.substring(line.indexOf("expect")))
                .containsExactly(
                        "expect.rows[0].cell: must be the index of an H3 cell of resolution 9, or {lat: …, lng: …}, was"
                                + " '882a1072527ffff'",
                        "expect.rows[0].product: must be a UUID such as 17a2b60c-29dd-5f76-95f3-b65da5cbbdbe, was 'x'",
                        "expect.rows[1].cell.lat: must be degrees from -90 to 90, was 91");
    }

    @Test
    void test_viewWithProblems_namesThemAndThoseOfTheTest() throws IOException {
        Path view = Files.writeString(
                folder.resolve("view.yaml"), "apiVersion: thalweg/v1\nkind: FeatureView\nname: Broken\n");
        Path file = write(view.toString(), "events: [{at: noon}]\n");

        CommandRun run = CommandRun.of("test", file);

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err())
                .contains("view.yaml:3: name: must be a name", "view.yaml:1: source: is required")
                .contains("test.yaml:5: events[0].at: must be a time")
                .contains(
                        "test.yaml:1: expect: is required, such as expect: {rows: […]}, which thalweg test FILE --record");
    }

    @Test
    void test_unknownViewOrFile_saysSo() throws IOException {
        Path file = write("no.yaml", "events: {file: no.jsonl}\nexpect: {counts: {bad: 0}}\n");

        assertThat(CommandRun.of("test", file).err())
                .contains("no.yaml: cannot be read: no such file")
                .contains("events.file: cannot be read: " + folder.resolve("no.jsonl"));
    }

    @Test
    void test_folderWithoutTests_isWrongUse() {
        CommandRun run = CommandRun.of("test", EXAMPLES.resolve("demand.yaml"));

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("there is no definition of kind: Test in " + EXAMPLES.resolve("demand.yaml"));
    }

    @Test
    void views_testsInTheirFolder_areSkipped() throws IOException {
        Files.copy(EXAMPLES.resolve("demand.yaml"), folder.resolve("demand.yaml"));
        write("no.yaml", "what: ever\n");

        assertThat(CommandRun.of("views", folder).exit()).isZero();
    }

    @Test
    void test_ofAnIngestWithManyProblems_areReportedTogether() throws IOException {
        Path file = Files.writeString(folder.resolve("test.yaml"), """
                apiVersion: thalweg/v1
                kind: Test
                name: sample
                ingest: %s
                events:
                  - {event_id: e1, ts: "12:61", status: REQUESTED}
                  - {event_id: e2, tz: "12:00:01"}
                  - 7
                  - {base64: "*"}
                expect:
                  rows:
                    - {event_id: 5, ride_id: r1, ts: noon, fare_cents: many, pickup: {lat: 1, adress: x}}
                  counts: {accepted: 1}
                  dead_letters: [{stage: decoding, reason: undecodable}, {reason: late}]
                """.formatted(EXAMPLES.resolve("ride_events.yaml")));

        CommandRun run = CommandRun.of("test", file);

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.failures())
                .extracting(line -> line.substring(line.indexOf("test.yaml:") + "test.yaml:".length()))
                .containsExactly(
                        "6: events[0].ts: must be a time in quotes such as 12:00:05, +30s after the event before, or"
                                + " 2026-01-01T12:00:05Z, was '12:61'",
                        "7: events[1].tz: is not a field of the schema; did you mean 'ts'?",
                        "8: events[2]: must be a mapping of fields, {raw: TEXT} or {base64: BYTES}, was 7",
                        "9: events[3].base64: must be base64 with padding, was '*'",
                        "12: expect.rows[0].event_id: must be text; write a number in quotes, was 5",
                        "12: expect.rows[0].ride_id: is not a column of the table; did you mean 'rider_id'?",
                        "12: expect.rows[0].ts: must be a time in quotes such as 12:01:00 or 2026-01-01T12:01:00Z, was"
                                + " 'noon'",
                        "12: expect.rows[0].fare_cents: must be a number, null, or {about: 0.3, within: 0.01}, was 'many'",
                        "12: expect.rows[0].pickup.adress: is not a column of the table; did you mean 'address'?",
                        "13: expect.counts.accepted: is not a known key; known: bad, events, filtered, kept, reasons,"
                                + " refused, rows, written",
                        "14: expect.dead_letters[0].stage: must be one of envelope, decode, transform, was 'decoding'",
                        "14: expect.dead_letters[1].stage: is required, such as stage: envelope",
                        "14: expect.dead_letters[1].reason: must be one of undecodable, empty, missing_field, wrong_type,"
                                + " invalid_text, out_of_range, time_out_of_range, too_large, inflated_too_large, unknown_codec,"
                                + " unknown_schema, schema_incompatible, unknown_field, refused, rejected, failed, was"
                                + " 'late'");
    }

    @Test
    void test_messageThatTheSchemaCannotExpress_saysWhy() throws IOException {
        Path file = Files.writeString(
                folder.resolve("test.yaml"),
                "apiVersion: thalweg/v1\nkind: Test\nname: sample\ningest: " + EXAMPLES.resolve("ride_events.yaml")
                        + "\nevents: [{event_id: e1}]\nexpect: {rows: []}\n");

        assertThat(CommandRun.of("test", file).err())
                .contains("events[0]: cannot be encoded: ", "; correct it, or write the bytes: {base64: …}");
    }

    @Test
    void test_wrongReadsAndLetters_areProblems() throws IOException {
        Path file = write("campaign_views.yaml", """
                events: [{at: "12:00:05", ad_id: ad0}]
                expect:
                  dead_letters: [{reason: late, stage: decode}]
                  reads:
                    - {rows: [{campaign: c0}]}
                    - {at: "12:00", rows: [{campaign: c0, status: present, window_end: "12:00:01", features: {views_10: 1}}]}
                """);

        assertThat(CommandRun.of("test", file).failures())
                .extracting(line -> line.substring(line.indexOf("test.yaml:") + "test.yaml:".length()))
                .containsExactlyInAnyOrder(
                        "7: expect.dead_letters[0].stage: is not a known key; known: count, reason",
                        "9: expect.reads[0].at: is required, such as at: \"12:05:00\"",
                        "9: expect.reads[0].rows[0].status: is required, such as status: PRESENT",
                        "10: expect.reads[1].rows[0].status: must be one of PRESENT, ZERO, NOT_FOUND, OUTSIDE_MAX_AGE,"
                                + " UNREADABLE, was 'present'",
                        "10: expect.reads[1].rows[0].window_end: must be the end of a window, a whole multiple of"
                                + " windows.every (10s) such as 2026-01-01T12:00:00Z, was '12:00:01'",
                        "10: expect.reads[1].rows[0].features.views_10: is not a feature of view campaign_views; did you"
                                + " mean 'views_10s'?");
    }

    @Test
    void test_shuffledEventsOfAFile_areAProblem() throws IOException {
        Path file = write("campaign_views.yaml", """
                events: {file: %s}
                expect: {counts: {accepted: 1}}
                under: [shuffle_partitions]
                """.formatted(EXAMPLES.resolve("ad-events.jsonl")));

        assertThat(CommandRun.of("test", file).failures())
                .singleElement()
                .asString()
                .endsWith(
                        "under: shuffle_partitions needs events that are written in the test, and these are in a file;"
                                + " remove it");
    }
}
