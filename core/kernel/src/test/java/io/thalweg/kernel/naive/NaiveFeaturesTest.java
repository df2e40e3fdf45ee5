package io.thalweg.kernel.naive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NaiveFeaturesTest {
    private static final HexTiling TILING = HexTiling.of(9);
    private static final long A = TILING.cell(40.75, -73.98);

    static LongStream seeds() {
        return LongStream.range(0, Seeds.few(6));
    }

    @Test
    void rows_countsOneAndAroundIt_areThePublishedMeans() {
        long[] ring1 = ring(1);
        long[] ring2 = ring(2);
        NaiveFeatures naive = new NaiveFeatures(9, new int[] {0, 1, 2}, new int[] {1});
        naive.addSum(A, "x", 0, 1);
        naive.addSum(ring1[0], "x", 0, 2);
        naive.addSum(ring1[3], "x", 0, 1);
        naive.addSum(ring2[1], "x", 0, 3);
        naive.addSum(ring2[5], "x", 0, 2);
        naive.addSum(ring2[9], "x", 0, 1);
        assertThat(row(naive.rows(), A, 1).values()).containsExactly(1.0, 4 / 7.0, 10 / 19.0);
    }

    @Test
    void rows_oneMinuteValuesOneAndThree_averageToTwo() {
        NaiveFeatures naive = new NaiveFeatures(9, new int[] {0}, new int[] {1, 2});
        naive.addSum(A, "x", 90, 1);
        naive.addSum(A, "x", 91, 3);
        assertThat(row(naive.rows(), A, 92).values()).containsExactly(3.0, 2.0);
    }

    @Test
    void rows_endAt0132_coverTheLastMinutes() {
        int[] windows = {1, 2, 4, 8, 16, 32};
        for (int minute = 0; minute < 120; minute++) {
            NaiveFeatures naive = new NaiveFeatures(9, new int[] {0}, windows);
            naive.addCount(A, "x", minute);
            int age = 92 - minute;
            long[] expected = Arrays.stream(windows)
                    .mapToLong(panes -> age >= 1 && age <= panes ? 1 : 0)
                    .toArray();
            List<NaiveRow> at92 =
                    naive.rows().stream().filter(row -> row.end() == 92).toList();
            if (age >= 1 && age <= 33) {
                assertThat(at92).hasSize(1);
                assertThat(at92.get(0).sums()).isEqualTo(expected);
            } else {
                assertThat(at92).isEmpty();
            }
        }
    }

    @Test
    void rows_sameIdTwice_countsOncePerCellGroupAndPane() {
        NaiveFeatures naive = new NaiveFeatures(9, new int[] {0}, new int[] {1});
        naive.add(A, "x", 5, 1, 2);
        naive.add(A, "x", 5, 1, 2);
        naive.add(A, "x", 5, 2, 1);
        naive.add(A, "y", 5, 1, 2);
        naive.add(A, "x", 6, 1, 2);
        assertThat(naive.rows().stream().map(row -> row.group() + row.end() + Arrays.toString(row.sums())))
                .containsExactly("x6[2]", "y6[1]", "x7[1]", "y7[0]", "x8[0]");
    }

    @Test
    void addCount_cellOfAnotherResolution_isRefused() {
        NaiveFeatures naive = new NaiveFeatures(8, new int[] {0}, new int[] {1});
        assertThatThrownBy(() -> naive.addCount(A, "x", 0)).hasMessageContaining("resolution 8");
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void rows_randomCounts_equalWhatEachCellGathers(long seed) {
        Random random = new Random(seed);
        int[] rings = {0, 1, 3};
        int[] windows = {1, 3, 4};
        NaiveFeatures naive = new NaiveFeatures(9, rings, windows);
        Map<String, Map<Long, Map<Long, Long>>> counts = new HashMap<>();
        long[] area = HexTiling.disk(A, 4);
        for (int n = 0; n < 30; n++) {
            long cell = area[random.nextInt(area.length)];
            String group = random.nextBoolean() ? "x" : "y";
            long pane = random.nextInt(-8, 25);
            naive.addCount(cell, group, pane);
            counts.computeIfAbsent(group, g -> new HashMap<>())
                    .computeIfAbsent(pane, p -> new HashMap<>())
                    .merge(cell, 1L, Long::sum);
        }
        assertThat(naive.rows()).isEqualTo(new Gather(rings, windows, counts).rows());
    }

    private static long[] ring(int distance) {
        Set<Long> inner = new HashSet<>();
        Arrays.stream(HexTiling.disk(A, distance - 1)).forEach(inner::add);
        return Arrays.stream(HexTiling.disk(A, distance))
                .filter(cell -> !inner.contains(cell))
                .sorted()
                .toArray();
    }

    private static NaiveRow row(List<NaiveRow> rows, long cell, long end) {
        return rows.stream()
                .filter(row -> row.cell() == cell && row.end() == end)
                .findFirst()
                .orElseThrow();
    }

    /** A literal implementation of the definition: each cell sums its disk, pane by pane. */
    private record Gather(int[] rings, int[] windows, Map<String, Map<Long, Map<Long, Long>>> counts) {
        List<NaiveRow> rows() {
            TreeSet<Long> cells = new TreeSet<>();
            TreeSet<Long> panes = new TreeSet<>();
            counts.values()
                    .forEach(byPane -> byPane.forEach((pane, byCell) -> {
                        panes.add(pane);
                        byCell.keySet()
                                .forEach(cell -> Arrays.stream(HexTiling.disk(cell, rings[rings.length - 1]))
                                        .forEach(cells::add));
                    }));
            List<NaiveRow> rows = new ArrayList<>();
            for (long end = panes.first() + 1; end <= panes.last() + windows[windows.length - 1] + 2; end++) {
                for (String group : new TreeSet<>(counts.keySet())) {
                    for (long cell : cells) {
                        long[] sums = sums(cell, group, end);
                        if (anyOf(sums) || anyOf(sums(cell, group, end - 1))) {
                            rows.add(new NaiveRow(cell, group, end, sums, values(cell, sums)));
                        }
                    }
                }
            }
            return rows;
        }

        private static boolean anyOf(long[] sums) {
            return Arrays.stream(sums).anyMatch(sum -> sum != 0);
        }

        private long[] sums(long cell, String group, long end) {
            long[] sums = new long[rings.length * windows.length];
            for (int feature = 0; feature < sums.length; feature++) {
                for (long near : HexTiling.disk(cell, rings[feature / windows.length])) {
                    for (long pane = end - windows[feature % windows.length]; pane < end; pane++) {
                        sums[feature] += counts.getOrDefault(group, Map.of())
                                .getOrDefault(pane, Map.of())
                                .getOrDefault(near, 0L);
                    }
                }
            }
            return sums;
        }

        private double[] values(long cell, long[] sums) {
            double[] values = new double[sums.length];
            for (int feature = 0; feature < sums.length; feature++) {
                int cells = HexTiling.disk(cell, rings[feature / windows.length]).length;
                values[feature] = sums[feature] / (double) (cells * windows[feature % windows.length]);
            }
            return values;
        }
    }
}
