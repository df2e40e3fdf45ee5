package io.thalweg.pipelinetest;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.pipelinetest.IngestOutcome.Origin;
import io.thalweg.pipelinetest.IngestOutcome.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowPairsTest {
    private static Row row(Map<String, @Nullable Object> values) {
        return new Row(values, new Origin("file", 0, 0));
    }

    private static Map<String, ColumnValue> expected(Map<String, String> columns) {
        Map<String, ColumnValue> expected = new HashMap<>();
        columns.forEach((name, value) -> expected.put(name, new ColumnValue.Exact(value)));
        return expected;
    }

    /** The first expected row would take the only row that the second one accepts. */
    @Test
    void of_rowThatMeetsTwo_leavesItToTheOneThatNeedsIt() {
        Row narrow = row(Map.of("a", "1", "b", "2"));
        Row other = row(Map.of("a", "1", "b", "3"));

        RowPairs pairs = RowPairs.of(
                List.of(expected(Map.of("a", "1")), expected(Map.of("a", "1", "b", "2"))), List.of(narrow, other));

        assertThat(pairs.rows()).containsExactly(other, narrow);
        assertThat(pairs.differences()).containsExactly(List.of(), List.of());
        assertThat(pairs.others()).isEmpty();
    }

    @Test
    void of_rowThatNothingMeets_takesTheNearestOfTheRest() {
        Row far = row(Map.of("a", "9", "b", "9"));
        Row near = row(Map.of("a", "1", "b", "9"));

        RowPairs pairs = RowPairs.of(List.of(expected(Map.of("a", "1", "b", "2"))), List.of(far, near));

        assertThat(pairs.rows()).containsExactly(near);
        assertThat(pairs.differences()).containsExactly(List.of("b: expected 2, was 9"));
        assertThat(pairs.others()).containsExactly(far);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void of_randomRows_pairsAsManyAsTryingAllDoes(long seed) {
        Random random = new Random(seed);
        List<Row> came = new ArrayList<>();
        List<Map<String, ColumnValue>> expected = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            came.add(row(Map.of("a", "" + random.nextInt(2), "b", "" + random.nextInt(2))));
        }
        for (int i = random.nextInt(5); i >= 0; i--) {
            Map<String, String> columns = new HashMap<>(Map.of("a", "" + random.nextInt(2)));
            if (random.nextBoolean()) {
                columns.put("b", "" + random.nextInt(2));
            }
            expected.add(expected(columns));
        }

        RowPairs pairs = RowPairs.of(expected, came);

        long met = 0;
        for (int i = 0; i < expected.size(); i++) {
            if (pairs.rows().get(i) != null && pairs.differences().get(i).isEmpty()) {
                met++;
            }
        }
        assertThat(met).isEqualTo(most(expected, 0, new ArrayList<>(came)));
        assertThat(pairs.others()).hasSize(Math.max(0, came.size() - expected.size()));
    }

    private static int most(List<Map<String, ColumnValue>> expected, int from, List<Row> left) {
        if (from == expected.size()) {
            return 0;
        }
        int most = most(expected, from + 1, left);
        for (Row row : left) {
            if (RowPairs.of(List.of(expected.get(from)), List.of(row))
                    .differences()
                    .get(0)
                    .isEmpty()) {
                List<Row> rest = new ArrayList<>(left);
                rest.remove(row);
                most = Math.max(most, 1 + most(expected, from + 1, rest));
            }
        }
        return most;
    }
}
