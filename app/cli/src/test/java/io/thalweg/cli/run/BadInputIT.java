package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever files contain, each event has its outcome, each failure its line, and nothing hangs. */
@Tag("test")
@Timeout(Await.TIMEOUT_SECONDS)
class BadInputIT {
    private static final long TS = 1_767_290_400_000L;
    private static final String GOOD = """
            {"event_type":"request","rider_id":"8409969a-79f3-4a2b-971b-59af28d81996",\
            "product_id":"ed73ee78-4fdb-42c3-8bb4-40ccff61cb2d","lat":40.748958,"lng":-74.000232,\
            "hexagon":"892a1008003ffff","ts":1767290400000}""";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path demand;

    @BeforeEach
    void writeView() throws IOException {
        demand = SmallViews.demand(folder);
    }

    /**
     * One line of input.
     *
     * @param demand the reason in the view that reads coordinates; empty = accepted
     * @param cells the reason in the view that reads a cell; empty = accepted
     */
    private record Line(byte[] bytes, String demand, String cells) {
        static Line bad(String text, String reason) {
            return new Line(text.getBytes(StandardCharsets.UTF_8), reason, reason);
        }

        static Line of(String text, String demand, String cells) {
            return new Line(text.getBytes(StandardCharsets.UTF_8), demand, cells);
        }
    }

    private static String with(String from, String to) {
        assertThat(GOOD).contains(from);
        return GOOD.replace(from, to);
    }

    private static List<Line> lines() {
        byte[] notUtf8 = with("request", "req\0est").getBytes(StandardCharsets.ISO_8859_1);
        notUtf8[GOOD.indexOf("request") + 3] = (byte) 0xE9;
        String huge = with("\"event_type\"", "\"text\":\"" + "x".repeat(10 << 20) + "\",\"event_type\"");
        List<Line> lines = new ArrayList<>(List.of(
                Line.of(GOOD, "", ""),
                Line.bad("not json", "undecodable"),
                Line.bad(GOOD.substring(0, 60), "undecodable"),
                Line.bad(GOOD + "}", "undecodable"),
                Line.bad("[1]", "undecodable"),
                Line.bad("null", "undecodable"),
                Line.bad(with("40.748958", "NaN"), "undecodable"),
                new Line(notUtf8, "undecodable", "undecodable"),
                Line.bad(huge, "too_large"),
                Line.bad("{}", "missing_field"),
                Line.bad(with("\"ts\":1767290400000", "\"ts\":null"), "missing_field"),
                Line.bad(with("\"event_type\":\"request\",", ""), "missing_field"),
                Line.bad(with("\"8409969a-79f3-4a2b-971b-59af28d81996\"", "null"), "missing_field"),
                Line.of(with("\"lat\":40.748958,", ""), "missing_field", ""),
                Line.of(with("\"892a1008003ffff\"", "null"), "", "missing_field"),
                Line.bad(with("8409969a-79f3-4a2b-971b-59af28d81996", "rider 7"), "wrong_type"),
                Line.of(with("40.748958", "\"forty\""), "wrong_type", ""),
                Line.bad(with("1767290400000", "\"soon\""), "time_invalid"),
                Line.bad(with("1767290400000", "1767290400"), "time_out_of_range"),
                Line.bad(with("1767290400000", "1767290400000000"), "time_out_of_range"),
                Line.of(with("40.748958", "90.001"), "coordinate", ""),
                Line.of(with("-74.000232", "-180.5"), "coordinate", ""),
                Line.of(with("892a1008003ffff", "nonsense"), "", "cell"),
                Line.of(with("892a1008003ffff", "882a100801fffff"), "", "cell"),
                Line.bad("\u0001".repeat(300_000), "undecodable"),
                // One event an hour ahead advances the file's event time, so the next event is reported as late.
                Line.of(with("1767290400000", String.valueOf(TS + 3_600_000)), "", ""),
                Line.bad(GOOD, "late")));
        return lines;
    }

    @Test
    void run_everyKindOfBadEvent_deadLettersSayWhyAndCountsAddUp() throws IOException {
        List<Line> lines = lines();
        Path events = write(lines);
        Path rows = folder.resolve("rows.jsonl");
        CommandRun run =
                CommandRun.of("run", demand, SmallViews.cells(folder), "--input", events, "--output", rows, "--quiet");

        assertThat(run.exit()).as(run.err()).isZero();
        List<JsonNode> letters = letters(folder.resolve("rows.jsonl.dead.jsonl"));
        assertThat(reasons(letters, "demand"))
                .containsExactlyElementsOf(lines.stream()
                        .map(Line::demand)
                        .filter(r -> !r.isEmpty())
                        .toList());
        assertThat(reasons(letters, "cells"))
                .containsExactlyElementsOf(lines.stream()
                        .map(Line::cells)
                        .filter(r -> !r.isEmpty())
                        .toList());
        assertThat(letters).allSatisfy(letter -> {
            assertThat(letter.get("source").asText()).isEqualTo(events.toString());
            assertThat(letter.get("detail").asText()).isNotBlank();
            assertThat(letter.get("raw_bytes").asLong()).isPositive();
        });
        var counts = run.counts();
        assertThat(counts)
                .containsEntry("events", 2.0 * lines.size())
                .containsEntry("skipped", 0.0)
                .containsEntry("late", 2.0)
                .containsEntry("bad", letters.size() - 2.0)
                .containsEntry("accepted", 2.0 * lines.size() - letters.size())
                .containsEntry("rows", (double) Files.readAllLines(rows).size());
    }

    @Test
    void run_hugeAndBinaryEvents_lettersKeepTheBeginning() throws IOException {
        Path events = write(List.of(
                Line.bad("x".repeat(10 << 20), "too_large"), Line.bad("\u0001".repeat(300_000), "undecodable")));
        Path dead = folder.resolve("dead.jsonl");
        CommandRun run = CommandRun.of("run", demand, "--input", events, "--dead-letters", dead, "--quiet");

        assertThat(run.exit()).as("no event is good").isEqualTo(1);
        List<JsonNode> letters = letters(dead);
        assertThat(letters).hasSize(2).allSatisfy(letter -> {
            assertThat(letter.get("truncated").asBoolean()).isTrue();
            assertThat(letter.toString().length()).isLessThan(1 << 20);
        });
        assertThat(letters.get(0).get("raw_bytes").asLong()).isEqualTo(10 << 20);
        assertThat(letters.get(1).get("raw_encoding").asText()).isEqualTo("base64");
    }

    @Test
    void run_badCsv_deadLettersSayWhy() throws IOException {
        String good =
                "request,8409969a-79f3-4a2b-971b-59af28d81996,ed73ee78-4fdb-42c3-8bb4-40ccff61cb2d,40.7,-74," + TS;
        Path events = Files.writeString(
                folder.resolve("events.csv"),
                String.join(
                        "\r\n",
                        "event_type,rider_id,product_id,lat,lng,ts",
                        good,
                        good.replace("40.7", "NaN"),
                        good.replace("40.7", "Infinity"),
                        good.replace("40.7", "forty"),
                        good.replace("40.7", ""),
                        good + ",more",
                        good.replace("request", "\"request"),
                        ""));
        Path dead = folder.resolve("dead.jsonl");
        CommandRun run =
                CommandRun.of("run", SmallViews.csv(folder), "--input", events, "--dead-letters", dead, "--quiet");

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(reasons(letters(dead), "demand_csv"))
                .containsExactly(
                        "coordinate", "coordinate", "wrong_type", "missing_field", "undecodable", "undecodable");
        assertThat(run.counts()).containsEntry("events", 7.0).containsEntry("accepted", 1.0);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("headers")
    void run_badCsvHeader_oneLineNamesTheFile(String header, String rule) throws IOException {
        Path events = Files.writeString(folder.resolve("events.csv"), header + "\nrequest,2\n");
        CommandRun run = CommandRun.of("run", SmallViews.csv(folder), "--input", events, "--quiet");
        assertFailed(run, 1, events + ": ", rule);
    }

    static Stream<Arguments> headers() {
        return Stream.of(
                Arguments.of("ts,ts", "must name each column once"), Arguments.of("\"ts", "one well-formed line"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("emptyFiles")
    void run_nothingInTheFile_endsWithZeroEvents(String name, String content) throws IOException {
        Path events = Files.writeString(folder.resolve(name), content);
        boolean csv = name.endsWith(".csv");
        CommandRun run = CommandRun.of("run", csv ? SmallViews.csv(folder) : demand, "--input", events, "--quiet");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.counts()).containsEntry("events", 0.0).containsEntry("rows", 0.0);
    }

    static Stream<Arguments> emptyFiles() {
        return Stream.of(
                Arguments.of("empty.jsonl", ""), Arguments.of("lines.jsonl", "\n\r\n"), Arguments.of("a.csv", ""));
    }

    @Test
    void run_emptyFilesAndPartitions_areNamedAndSkipped() throws IOException {
        Path empty = Files.createFile(folder.resolve("a.jsonl.gz"));
        Files.writeString(folder.resolve("b.jsonl"), GOOD + "\n");

        CommandRun some = runOn(folder.resolve("*.jsonl*"));

        assertThat(some.exit()).as(some.err()).isZero();
        assertThat(some.err()).contains("--input: skipped 1 file without rows: " + empty + "\n");
        assertThat(some.counts()).containsEntry("accepted", 1.0);
        Path day = Files.createDirectory(folder.resolve("dt=2026-11-28"));
        Files.createFile(day.resolve("_SUCCESS"));
        CommandRun none = runOn(day.resolve("*.jsonl"));
        assertThat(none.exit()).as(none.err()).isZero();
        assertThat(none.err()).contains("--input: no files to read, only _SUCCESS\n");
        assertThat(none.counts()).containsEntry("events", 0.0);
    }

    @Test
    void run_noSuchFile_oneLine() {
        assertFailed(runOn(folder.resolve("none.jsonl")), 1, "none.jsonl does not exist");
    }

    @Test
    void run_folder_oneLine() {
        assertFailed(runOn(folder), 1, folder + " is a folder");
    }

    @Test
    void run_patternWithoutMatch_oneLine() {
        assertFailed(runOn(folder.resolve("*.nothing")), 1, "matches no file");
    }

    @Test
    void run_unreadableFile_oneLine() throws IOException {
        Path events = Files.writeString(folder.resolve("secret.jsonl"), GOOD);
        assertThat(events.toFile().setReadable(false)).isTrue();
        assumeThat(Files.isReadable(events)).as("root may read everything").isFalse();
        assertFailed(runOn(events), 1, "may not be read");
    }

    @Test
    void run_gzipCutShort_oneLineNamesTheFile() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (var gzip = new java.util.zip.GZIPOutputStream(packed)) {
            gzip.write((GOOD + "\n").repeat(50).getBytes(StandardCharsets.UTF_8));
        }
        byte[] whole = packed.toByteArray();
        Path events = Files.write(folder.resolve("cut.gz"), java.util.Arrays.copyOf(whole, whole.length - 12));
        Path rows = folder.resolve("rows.jsonl");
        assertFailed(
                CommandRun.of("run", demand, "--input", events, "--output", rows, "--quiet"),
                1,
                events + ": gzip data ends too early");
        assertThat(folder).isDirectoryNotContaining("glob:**rows.jsonl*");
    }

    @Test
    void run_notGzipAfterAll_oneLineNamesTheFile() throws IOException {
        Path events = Files.writeString(folder.resolve("plain.jsonl.gz"), GOOD);
        assertFailed(runOn(events), 1, events + ": not in gzip format");
    }

    @Test
    void run_onBadEventFail_oneLineAndNoRows() throws IOException {
        Path strict =
                Files.writeString(folder.resolve("strict.yaml"), Files.readString(demand) + "on_bad_event: fail\n");
        Path events = Files.writeString(folder.resolve("e.jsonl"), GOOD + "\nnot json\n");
        Path rows = folder.resolve("rows.jsonl");
        assertFailed(
                CommandRun.of("run", strict, "--input", events, "--output", rows, "--quiet"),
                1,
                "on_bad_event: fail",
                "undecodable");
        assertThat(rows).doesNotExist();
    }

    @Test
    void run_standardInputForTwoSources_refused() throws IOException {
        CommandRun run = CommandRun.of(
                "run", demand, SmallViews.supply(folder), "--input", "rider-events=-", "--input", "driver-events=-");
        assertFailed(run, 2, "--input - can be read once");
    }

    @Test
    void run_standardInputForTwoReadsOfOneTopic_refused() throws IOException {
        Path other = Files.writeString(
                demand.resolveSibling("other.yaml"),
                Files.readString(demand)
                        .replace("name: demand", "name: other")
                        .replace("max_out_of_orderness: 10s", "max_out_of_orderness: 1m"));
        assertFailed(CommandRun.of("run", demand, other, "--input", "-"), 2, "--input - can be read once");
    }

    private CommandRun runOn(Path input) {
        return CommandRun.of("run", demand, "--input", input, "--quiet");
    }

    private static void assertFailed(CommandRun run, int exit, String... parts) {
        assertThat(run.exit()).as(run.err()).isEqualTo(exit);
        assertThat(run.failures()).as(run.err()).hasSize(1);
        assertThat(run.err()).doesNotContain("\tat ").contains(parts);
        assertThat(run.out()).isEmpty();
    }

    private Path write(List<Line> lines) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Line line : lines) {
            out.writeBytes(line.bytes());
            out.write('\n');
        }
        return Files.write(folder.resolve("events.jsonl"), out.toByteArray());
    }

    private static List<JsonNode> letters(Path file) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<JsonNode> letters = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            letters.add(json.readTree(line));
        }
        return letters;
    }

    private static List<String> reasons(List<JsonNode> letters, String view) {
        return letters.stream()
                .filter(letter -> letter.get("view").asText().equals(view))
                .map(letter -> letter.get("reason").asText())
                .toList();
    }
}
