package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.IngestOutcome.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pairs actual rows with expected rows. Rows have neither a key nor an order, and an expected row may name only some columns. As many
 * expected rows as possible are paired with a row that matches them (a maximum matching by augmenting paths); each of the others with the
 * remaining row that differs in the fewest places.
 *
 * @param expected with the columns that are compared
 * @param rows the row paired with each expected row; null if none is left
 * @param differences the differences of each pair, one per line; empty if the row matches
 * @param others rows that are not expected
 */
record RowPairs(
        List<Map<String, ColumnValue>> expected,
        List<@Nullable Row> rows,
        List<List<String>> differences,
        List<Row> others) {
    static RowPairs of(List<Map<String, ColumnValue>> expected, List<Row> came) {
        List<List<List<String>>> all = new ArrayList<>();
        for (Map<String, ColumnValue> columns : expected) {
            all.add(came.stream().map(row -> differences(columns, row)).toList());
        }
        int[] pairOf = match(all, came.size());
        pairTheRest(all, pairOf, came.size());
        List<@Nullable Row> rows = new ArrayList<>();
        List<List<String>> differences = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            rows.add(pairOf[i] < 0 ? null : came.get(pairOf[i]));
            differences.add(pairOf[i] < 0 ? List.of() : all.get(i).get(pairOf[i]));
        }
        List<Row> others = new ArrayList<>(came);
        rows.forEach(others::remove);
        return new RowPairs(expected, rows, differences, others);
    }

    private static List<String> differences(Map<String, ColumnValue> columns, Row row) {
        List<String> lines = new ArrayList<>();
        columns.forEach((name, value) -> value.compare(name, row.values().get(name), lines));
        return lines;
    }

    /** The index of the row paired with each expected row, or -1. */
    private static int[] match(List<List<List<String>>> differences, int rows) {
        int[] expectedOf = new int[rows];
        Arrays.fill(expectedOf, -1);
        for (int i = 0; i < differences.size(); i++) {
            augment(i, differences, expectedOf, new boolean[rows]);
        }
        int[] pairOf = new int[differences.size()];
        Arrays.fill(pairOf, -1);
        for (int row = 0; row < rows; row++) {
            if (expectedOf[row] >= 0) {
                pairOf[expectedOf[row]] = row;
            }
        }
        return pairOf;
    }

    private static boolean augment(
            int expected, List<List<List<String>>> differences, int[] expectedOf, boolean[] seen) {
        for (int row = 0; row < expectedOf.length; row++) {
            if (!seen[row] && differences.get(expected).get(row).isEmpty()) {
                seen[row] = true;
                if (expectedOf[row] < 0 || augment(expectedOf[row], differences, expectedOf, seen)) {
                    expectedOf[row] = expected;
                    return true;
                }
            }
        }
        return false;
    }

    private static void pairTheRest(List<List<List<String>>> differences, int[] pairOf, int rows) {
        List<Integer> left = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            left.add(row);
        }
        for (int pair : pairOf) {
            left.remove((Integer) pair);
        }
        for (int i = 0; i < pairOf.length && !left.isEmpty(); i++) {
            if (pairOf[i] < 0) {
                List<List<String>> of = differences.get(i);
                Integer nearest = left.stream()
                        .min(Comparator.comparingInt(row -> of.get(row).size()))
                        .orElseThrow();
                pairOf[i] = nearest;
                left.remove(nearest);
            }
        }
    }
}
