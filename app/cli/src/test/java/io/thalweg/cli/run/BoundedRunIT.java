package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code thalweg run --input}: the same rows from every kind of input, and complete files or none. */
@Timeout(Await.TIMEOUT_SECONDS)
class BoundedRunIT {
    private static final Path EXAMPLES = Checkout.file("examples");
    private static final Path GOLDEN = Checkout.file("app/cli/src/test/resources/golden/demand-rows.txt");
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path demand;

    @SuppressWarnings("NullAway.Init")
    private Path events;

    @BeforeEach
    void writeInput() throws IOException {
        demand = SmallViews.demand(folder);
        events = Files.write(folder.resolve("events.jsonl"), riders(50));
    }

    private static List<String> riders(int count) throws IOException {
        return Files.readAllLines(EXAMPLES.resolve("rider-events.jsonl")).subList(0, count);
    }

    @Tag("faults")
    @Test
    void run_exampleViewAtAnyParallelism_sameRows() throws Exception {
        Path few = Files.write(folder.resolve("few.jsonl"), riders(4));
        List<String> sums = new ArrayList<>();
        for (int parallelism : List.of(1, 2, 4)) {
            CommandRun run = whole(
                    "run", EXAMPLES.resolve("demand.yaml"), "--input", few, "--quiet", "--parallelism", parallelism);
            assertAddsUp(run, 4, run.sortedOut().size());
            sums.add(sha256(run.sortedOut()));
        }
        assertThat(sums).containsOnly(sums.get(0));
    }

    /** {@code -Dthalweg.golden=write} rewrites the file; review the changes before you commit it. */
    @Tag("test")
    @Test
    void run_fiftyEvents_rowsAreThoseOfTheGoldenFile() throws Exception {
        List<String> rows = whole("run", demand, "--input", events, "--quiet").sortedOut();
        List<String> golden = new ArrayList<>();
        golden.add("sha256 of " + rows.size() + " sorted rows: " + sha256(rows));
        golden.addAll(rows.subList(0, 5));
        golden.add("…");
        golden.addAll(rows.subList(rows.size() - 5, rows.size()));
        if ("write".equals(System.getProperty("thalweg.golden"))) {
            Files.createDirectories(GOLDEN.toAbsolutePath().getParent());
            Files.write(GOLDEN, golden);
        }
        assertThat(golden).isEqualTo(Files.readAllLines(GOLDEN));
    }

    @Tag("test")
    @Test
    void run_gzipManyFilesAndStandardInput_sameRowsAsTheFile() throws Exception {
        List<String> lines = riders(50);
        List<String> expected =
                whole("run", demand, "--input", events, "--quiet").sortedOut();
        assertThat(expected).isNotEmpty();

        Path packed = Files.write(folder.resolve("packed.jsonl.gz"), gzip(lines));
        assertThat(whole("run", demand, "--input", packed, "--quiet").sortedOut())
                .isEqualTo(expected);

        Files.write(folder.resolve("part-2.jsonl"), lines.subList(20, 50));
        Files.write(folder.resolve("part-1.jsonl"), lines.subList(0, 20));
        Path parts = folder.resolve("part-*.jsonl");
        assertThat(whole("run", demand, "--input", parts, "--quiet").sortedOut())
                .isEqualTo(expected);

        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(Files.readAllBytes(events)));
            assertThat(whole("run", demand, "--input", "-", "--quiet").sortedOut())
                    .isEqualTo(expected);
        } finally {
            System.setIn(before);
        }
    }

    @Tag("test")
    @Test
    void run_csv_sameValuesAsJson() throws Exception {
        List<String> expected =
                whole("run", demand, "--input", events, "--quiet").sortedOut();
        List<String> table = new ArrayList<>(List.of("event_type,rider_id,product_id,lat,lng,ts"));
        for (String line : riders(50)) {
            table.add("%s,\"%s\",%s,%s,%s,%s"
                    .formatted(
                            value(line, "event_type"),
                            value(line, "rider_id"),
                            value(line, "product_id"),
                            value(line, "lat"),
                            value(line, "lng"),
                            value(line, "ts")));
        }
        Path csv = Files.write(folder.resolve("events.csv"), table);
        List<String> rows =
                whole("run", SmallViews.csv(folder), "--input", csv, "--quiet").sortedOut();
        assertThat(rows.stream()
                        .map(row -> row.replace("\"demand_csv\"", "\"demand\""))
                        .toList())
                .isEqualTo(expected);
    }

    /** The rows of a run are the events of the next: a table that Thalweg has written, in both forms. */
    @Tag("test")
    @Test
    void run_parquet_sameProposalAndRowsAsCsv() throws Exception {
        List<List<String>> rows = new ArrayList<>();
        List<String> views = new ArrayList<>();
        for (String form : List.of("csv", "parquet")) {
            Path own = Files.createDirectories(folder.resolve(form));
            Path table = own.resolve("rows." + form);
            whole("run", demand, "--input", events, "--quiet", "--output", table);
            whole("init", "--sample", table, own);
            views.add(Files.readString(own.resolve("rows.yaml"))
                    .replaceAll("(?m)#.*$|format: .*$", "")
                    .replaceAll(" +\n", "\n"));
            rows.add(whole("run", own.resolve("rows.yaml"), "--input", table, "--quiet")
                    .sortedOut());
        }

        assertThat(views.get(1)).isEqualTo(views.get(0)).contains("field: window_end, unit: iso8601");
        assertThat(rows.get(1)).isEqualTo(rows.get(0)).isNotEmpty();
    }

    @Tag("test")
    @Test
    void run_twoViewsOfTwoTopics_rowsOfBoth() throws Exception {
        List<String> drivers =
                Files.readAllLines(EXAMPLES.resolve("driver-events.jsonl")).subList(0, 50);
        Path driverEvents = Files.write(folder.resolve("drivers.jsonl"), drivers);
        Path supply = SmallViews.supply(folder);
        List<String> alone = new ArrayList<>();
        alone.addAll(whole("run", demand, "--input", events, "--quiet").sortedOut());
        alone.addAll(whole("run", supply, "--input", driverEvents, "--quiet").sortedOut());
        alone.sort(null);

        CommandRun both = whole(
                "run",
                demand,
                supply,
                "--input",
                "rider-events=" + events,
                "--input",
                "driver-events=" + driverEvents,
                "--quiet");
        assertThat(both.sortedOut()).isEqualTo(alone);
        assertAddsUp(both, 100, alone.size());
    }

    /** The views read the file separately, each with its own lateness. */
    @Tag("test")
    @Test
    void run_twoViewsOfOneTopicWithOtherSettings_rowsOfBoth() throws Exception {
        Path patient = Files.writeString(
                folder.resolve("patient.yaml"),
                Files.readString(demand)
                        .replace("name: demand", "name: patient")
                        .replace("max_out_of_orderness: 10s", "max_out_of_orderness: 1h"));
        List<String> shuffled = new ArrayList<>(riders(400));
        Collections.shuffle(shuffled, new Random(7));
        Path disordered = Files.write(folder.resolve("disordered.jsonl"), shuffled);
        CommandRun hastyAlone = whole("run", demand, "--input", disordered, "--quiet");
        CommandRun patientAlone = whole("run", patient, "--input", disordered, "--quiet");
        assertThat(hastyAlone.counts().get("late")).isPositive();
        assertThat(patientAlone.counts()).containsEntry("late", 0.0);
        List<String> alone = new ArrayList<>(hastyAlone.sortedOut());
        alone.addAll(patientAlone.sortedOut());
        alone.sort(null);

        CommandRun both = whole("run", demand, patient, "--input", disordered, "--quiet");
        assertThat(both.sortedOut()).isEqualTo(alone);
        assertAddsUp(both, 800, alone.size());
    }

    @Tag("test")
    @Test
    void run_outputFile_wholeBesideItsDeadLettersAndMaxBadFails() throws Exception {
        List<String> lines = new ArrayList<>(riders(9));
        lines.add("not json");
        Path some = Files.write(folder.resolve("some.jsonl"), lines);
        Path out = folder.resolve("new").resolve("rows.jsonl");
        CommandRun run = whole("run", demand, "--input", some, "--output", out, "--quiet", "--max-bad", "10%");
        assertThat(run.out()).isEmpty();
        assertAddsUp(run, 10, Files.readAllLines(out).size());
        assertThat(run.counts()).containsEntry("bad", 1.0);
        assertThat(out.resolveSibling("rows.jsonl.dead.jsonl")).content().contains("\"reason\":\"undecodable\"");
        assertThat(out.getParent()).isDirectoryNotContaining("glob:**.partial");

        CommandRun strict = CommandRun.of("run", demand, "--input", some, "--quiet", "--max-bad", "9%");
        assertThat(strict.exit()).isEqualTo(1);
        assertThat(strict.failures()).singleElement().asString().contains("1 of 10 events are bad");
        assertThat(strict.err())
                .contains("bad events: undecodable 1; for example in " + some + ": ", "--dead-letters FILE");
    }

    @Tag("test")
    @Test
    void run_noGoodEvent_failsAndSaysWhatIsWrong() throws Exception {
        Path text = Files.writeString(folder.resolve("text.jsonl"), "{\"ts\":\"noon\"}\n{\"ts\":\"noon\"}\n");

        CommandRun run = CommandRun.of("run", demand, "--input", text, "--quiet");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("bad events: time_invalid 2; for example in " + text + ": ", "noon");
        assertThat(run.failures()).containsExactly("thalweg: no event is good, so there are no rows");
    }

    @Tag("test")
    @Test
    void run_eventAheadOfAllThatFollow_isReportedAndMaxLateFails() throws Exception {
        List<String> lines = new ArrayList<>(riders(9));
        lines.add(0, lines.get(0).replaceFirst("\"ts\":\\d+", "\"ts\":1798761600000"));
        Path ahead = Files.write(folder.resolve("ahead.jsonl"), lines);

        CommandRun run = whole("run", demand, "--input", ahead, "--quiet");

        assertThat(run.counts()).containsEntry("late", 6.0);
        assertThat(run.err())
                .contains(
                        "view demand: 6 of 10 events are late: more than max_out_of_orderness (10s) behind an event that was"
                                + " read before; the latest event is of 2027-01-01T00:00:00Z; see them with --dead-letters FILE");
        CommandRun strict = CommandRun.of("run", demand, "--input", ahead, "--quiet", "--max-late", "50%");
        assertThat(strict.exit()).isEqualTo(1);
        assertThat(strict.failures()).containsExactly("thalweg: 6 of 10 events are late, more than --max-late allows");
    }

    @Tag("test")
    @Test
    void run_outputToADevice_deviceStaysWhatItIs() throws Exception {
        Path device = Path.of("/dev/null");
        org.assertj.core.api.Assumptions.assumeThat(device).exists();
        whole("run", demand, "--input", events, "--output", device, "--dead-letters", device, "--quiet");
        assertThat(Files.isRegularFile(device)).isFalse();
    }

    @Tag("test")
    @Test
    void verify_rowsOfARun_equalUntilADigitChanges() throws Exception {
        Path out = folder.resolve("rows.jsonl");
        whole("run", demand, "--input", events, "--output", out, "--quiet");
        CommandRun equal = CommandRun.of("verify", demand, "--input", events, "--rows", out);
        assertThat(equal.exit()).as(equal.err()).isZero();

        String rows = Files.readString(out);
        int digit = rows.indexOf("\"k0_1m\":1.0");
        assertThat(digit).isNotNegative();
        Files.writeString(out, rows.substring(0, digit) + "\"k0_1m\":2.0" + rows.substring(digit + 11));
        CommandRun different = CommandRun.of("verify", demand, "--input", events, "--rows", out);
        assertThat(different.exit()).as(different.err()).isEqualTo(1);
    }

    @Tag("test")
    @ParameterizedTest(name = "{0}")
    @CsvSource({"campaign_views, ad-events, 100", "merchant_orders, orders, 60"})
    void run_keyedExample_rowsAreThoseOfTheRecount(String name, String input, int atLeast) throws Exception {
        Path definition = EXAMPLES.resolve(name + ".yaml");
        Path example = EXAMPLES.resolve(input + ".jsonl");
        Path out = folder.resolve("rows.jsonl");
        CommandRun run = whole("run", definition, "--input", example, "--output", out, "--quiet", "--parallelism", 2);
        List<String> rows = Files.readAllLines(out);
        assertThat(rows).hasSizeGreaterThan(atLeast).noneMatch(row -> row.contains("PARTIAL"));
        assertAddsUp(run, Files.readAllLines(example).size(), rows.size());
        assertThat(run.counts()).containsEntry("bad", 0.0).containsEntry("late", 0.0);

        CommandRun verified = CommandRun.of("verify", definition, "--input", example, "--rows", out);
        assertThat(verified.exit()).as(verified.err()).isZero();
        assertThat(verified.out()).isEqualTo("verify: " + rows.size() + " rows equal\n");
    }

    @Tag("test")
    @Test
    void run_tableAway_saysSoInOneLineAndMakesNoFile() throws Exception {
        Path view = folder.resolve("campaign_views.yaml");
        Files.copy(EXAMPLES.resolve("campaign_views.yaml"), view);
        Path out = folder.resolve("rows.jsonl");
        for (List<Object> command : List.<List<Object>>of(
                List.of("run", view, "--input", EXAMPLES.resolve("ad-events.jsonl"), "--output", out),
                List.of("validate", view, "--sample", EXAMPLES.resolve("ad-events.jsonl")))) {
            CommandRun run = CommandRun.of(command.toArray());
            assertThat(run.exit()).isEqualTo(1);
            assertThat(run.err())
                    .contains(
                            "the lookup table " + folder.resolve("ads.csv") + " cannot be read: there is no such file");
        }
        assertThat(folder).isDirectoryNotContaining("glob:**rows.jsonl*");
    }

    @Tag("faults")
    @Test
    void run_interrupted_exits130AndLeavesNoHalfFile() throws Exception {
        Path out = folder.resolve("rows.jsonl");
        Path input = folder.resolve("stream");
        assertThat(new ProcessBuilder("mkfifo", input.toString()).start().waitFor())
                .isZero();
        try (Subprocess run = Launched.start(
                folder, "run", demand.getFileName(), "--input", "stream", "--output", out.getFileName())) {
            // Opening a pipe for writing waits for its reader: from here on the job runs, and its input does not end.
            try (var stream = Files.newOutputStream(input)) {
                stream.write(String.join("\n", riders(50)).getBytes(StandardCharsets.UTF_8));
                stream.flush();
                run.awaitLine(" events \\(", PATIENCE);
                assertThat(folder).isDirectoryContaining("glob:**rows.jsonl.partial");
                Launched.interrupt(run);
                assertThat(run.awaitExit(PATIENCE)).as(run.stderr().toString()).isEqualTo(130);
            }
        }
        assertThat(folder).isDirectoryNotContaining("glob:**rows.jsonl*");
    }

    private static CommandRun whole(Object... arguments) {
        CommandRun run = CommandRun.of(arguments);
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }

    private static void assertAddsUp(CommandRun run, int events, int rows) {
        Map<String, Double> counts = run.counts();
        assertThat(counts).containsEntry("events", (double) events).containsEntry("rows", (double) rows);
        double sum = 0;
        for (String outcome : List.of("accepted", "skipped", "bad", "late")) {
            sum += counts.getOrDefault(outcome, Double.NaN);
        }
        assertThat(sum).isEqualTo(events);
    }

    private static String value(String json, String field) {
        String rest = json.substring(json.indexOf("\"" + field + "\":") + field.length() + 3);
        return rest.substring(0, rest.indexOf(',')).replace("\"", "");
    }

    private static byte[] gzip(List<String> lines) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        }
        return packed.toByteArray();
    }

    private static String sha256(List<String> lines) throws NoSuchAlgorithmException {
        byte[] text = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
    }
}
