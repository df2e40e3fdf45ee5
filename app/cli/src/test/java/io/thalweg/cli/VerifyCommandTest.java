package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.runner.Samples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Computes the rows literally from the definition of a feature: the distinct count for each cell, ring, window and end. */
final class VerifyCommandTest {
    private static final int[] RINGS = {0, 2};
    private static final int[] WINDOWS = {1, 2};

    @TempDir
    private Path folder = Path.of("");

    private Path view = Path.of("");
    private Path input = Path.of("");
    private final TestConsole console = new TestConsole();

    @BeforeEach
    void write() throws IOException {
        view = Samples.view(folder);
        input = Samples.write(folder.resolve("events.jsonl"), lines(taps(1)));
    }

    private record Tap(UUID who, double lat, double lng, String product, long timeMs) {
        long cell() {
            return HexTiling.of(9).cell(lat, lng);
        }

        long pane() {
            return timeMs / 60_000;
        }
    }

    private static List<Tap> taps(long seed) {
        Random random = new Random(seed);
        List<Tap> taps = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            taps.add(new Tap(
                    new UUID(1, random.nextInt(5)),
                    40.75 + 0.004 * random.nextDouble(),
                    -73.98 + 0.004 * random.nextDouble(),
                    random.nextBoolean() ? "pool" : "solo",
                    // A quiet quarter of an hour in the middle.
                    Samples.START_MS + i * 7_000L + (i < 30 ? 0 : 900_000)));
        }
        return taps;
    }

    private static List<String> lines(List<Tap> taps) {
        return taps.stream()
                .map(tap -> Samples.event(tap.who(), tap.lat(), tap.lng(), tap.product(), tap.timeMs()))
                .toList();
    }

    /** Rows of the first seed, computed once. */
    private static final List<String> ROWS = rows(taps(1));

    private static List<String> rows() {
        return new ArrayList<>(ROWS);
    }

    private static List<String> rows(List<Tap> taps) {
        Set<Long> cells = new HashSet<>();
        taps.forEach(tap -> {
            for (long near : HexTiling.disk(tap.cell(), RINGS[1])) {
                cells.add(near);
            }
        });
        List<String> rows = new ArrayList<>();
        long first = taps.get(0).pane() + 1;
        long last = taps.get(taps.size() - 1).pane() + 4;
        for (String product : List.of("pool", "solo")) {
            for (long cell : cells) {
                List<Set<Long>> disks = disks(cell);
                boolean before = false;
                for (long end = first; end <= last; end++) {
                    long[] sums = sums(taps, disks, product, end);
                    boolean any = sums[3] > 0;
                    if (any || before) {
                        rows.add(Samples.row(cell, product, end * 60_000, sums));
                    }
                    before = any;
                }
            }
        }
        return rows;
    }

    private static List<Set<Long>> disks(long cell) {
        List<Set<Long>> disks = new ArrayList<>();
        for (int ring : RINGS) {
            disks.add(Arrays.stream(HexTiling.disk(cell, ring)).boxed().collect(Collectors.toSet()));
        }
        return disks;
    }

    private static long[] sums(List<Tap> taps, List<Set<Long>> disks, String product, long end) {
        long[] sums = new long[4];
        for (int r = 0; r < RINGS.length; r++) {
            Set<Long> disk = disks.get(r);
            for (int w = 0; w < WINDOWS.length; w++) {
                long from = end - WINDOWS[w];
                sums[r * 2 + w] = taps.stream()
                        .filter(tap -> tap.product().equals(product) && disk.contains(tap.cell()))
                        .filter(tap -> tap.pane() >= from && tap.pane() < end)
                        .map(tap -> tap.who() + "/" + tap.cell() + "/" + tap.pane())
                        .distinct()
                        .count();
            }
        }
        return sums;
    }

    private int verify(List<String> rows) throws IOException {
        Path file = Samples.write(folder.resolve("rows.jsonl"), rows);
        return console.run("verify", view.toString(), "--input", input.toString(), "--rows", file.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void verify_rowsOfTheDefinitionInAnyOrder_areEqual(long seed) throws IOException {
        List<Tap> taps = taps(seed);
        Samples.write(input, lines(taps));
        List<String> rows = rows(taps);
        Collections.shuffle(rows, new Random(seed));

        assertThat(verify(rows)).isZero();
        assertThat(console.out()).isEqualTo("verify: " + rows.size() + " rows equal\n");
        assertThat(console.err()).isEmpty();
    }

    @Test
    void verify_rowsFromStandardInput_areEqual() throws IOException {
        console.in(String.join("\n", rows()));
        assertThat(console.run("verify", view.toString(), "--input", input.toString(), "--rows", "-"))
                .isZero();
    }

    @Test
    void verify_rowRemoved_isMissing() throws IOException {
        List<String> rows = rows();
        rows.remove(17);
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out())
                .contains(" equal, 1 missing, 0 unexpected, 0 different, 0 repeated")
                .containsPattern("missing: cell=89\\w+ product=pool window_end=2026-01-01T18:0");
    }

    @Test
    void verify_rowTwice_isRepeated() throws IOException {
        List<String> rows = rows();
        rows.add(rows.get(5));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("0 missing, 0 unexpected, 0 different, 1 repeated");
    }

    @Test
    void verify_rowOfAnotherTime_isUnexpected() throws IOException {
        List<String> rows = rows();
        rows.add(Samples.row(0x892a1008003ffffL, "pool", Samples.START_MS, 1, 1, 1, 1));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("0 missing, 1 unexpected, 0 different, 0 repeated");
    }

    @Test
    void verify_lastBitOfAValueChanged_isDifferent() throws IOException {
        List<String> rows = rows();
        int at = first(rows, "\"k2_2m\":0.0");
        String value = rows.get(at).replaceAll(".*\"k2_2m\":([0-9.E-]+).*", "$1");
        String next = String.valueOf(Math.nextUp(Double.parseDouble(value)));
        rows.set(at, rows.get(at).replace("\"k2_2m\":" + value, "\"k2_2m\":" + next));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("0 missing, 0 unexpected, 1 different, 0 repeated");
    }

    @Test
    void verify_featureLeftOut_isDifferent() throws IOException {
        List<String> rows = rows();
        rows.set(3, rows.get(3).replaceAll(",\"k2_2m\":[^}]*", ""));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("1 different");
    }

    @Test
    void verify_partialRow_isDifferent() throws IOException {
        List<String> rows = rows();
        rows.set(3, rows.get(3).replace("FINAL", "PARTIAL"));
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.out()).contains("1 different");
    }

    @Test
    void verify_manyMissing_namesTheFirstThree() throws IOException {
        assertThat(verify(List.of())).isEqualTo(1);
        assertThat(console.out().lines().filter(line -> line.startsWith("  missing: cell=")))
                .hasSize(3);
        assertThat(console.out()).containsPattern("missing: and \\d+ more");
    }

    @Test
    void verify_lineThatIsNoRow_namesTheLine() throws IOException {
        List<String> rows = rows();
        rows.set(1, "{\"view\":\"other\"}");
        assertThat(verify(rows)).isEqualTo(1);
        assertThat(console.err())
                .contains("rows.jsonl:2: row.view must be small")
                .hasLineCount(2);
    }

    @Test
    void verify_rowsFileAbsent_isWrongUse() {
        assertThat(console.run("verify", view.toString(), "--input", input.toString(), "--rows", "nowhere.jsonl"))
                .isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: nowhere.jsonl: no such file\n");
    }

    private static int first(List<String> rows, String without) {
        for (int i = 0; i < rows.size(); i++) {
            if (!rows.get(i).contains(without)) {
                return i;
            }
        }
        throw new AssertionError("all rows contain " + without);
    }
}
