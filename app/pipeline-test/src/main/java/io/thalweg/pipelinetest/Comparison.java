package io.thalweg.pipelinetest;

import io.thalweg.model.row.ParsedRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.pipelinetest.PipelineTest.Expectation;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRow;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the output of a run with what a test expects.
 *
 * <p><b>Threads.</b> One.
 *
 * @param explanation lists the events that counted into a row, a line each
 */
record Comparison(FeatureView view, RowLedger came, Function<RowKey, List<String>> explanation) {
    private static final int SHOWN = 3;

    /** Returns the differences in lines; empty if there are none. */
    List<String> of(Expectation expected, Counts counts) {
        List<String> lines = new ArrayList<>();
        expected.rows().forEach(row -> compare(row, lines));
        if (expected.noOtherRows()) {
            others(expected, lines);
        }
        lines.addAll(expected.counts().differences(counts));
        return lines;
    }

    private void compare(ExpectedRow expected, List<String> lines) {
        ParsedRow row = came.rows().get(expected.key());
        if (expected.absent()) {
            if (row != null) {
                lines.add(text(expected.key()) + " is there, but must not be:");
                lines.add("  " + values(row));
                explain(expected.key(), lines);
            }
            return;
        }
        if (row == null) {
            lines.add(text(expected.key()) + " is not there" + nearby(expected.key()));
            explain(expected.key(), lines);
            return;
        }
        List<String> differences = new ArrayList<>();
        expected.features().forEach((name, value) -> {
            Number was = row.features().get(name);
            if (!value.matches(was)) {
                differences.add("  %s: expected %s, was %s".formatted(name, value.text(), text(was)));
            }
        });
        if (!differences.isEmpty()) {
            lines.add(text(expected.key()) + " differs:");
            lines.addAll(differences);
            explain(expected.key(), lines);
        }
    }

    private void explain(RowKey key, List<String> lines) {
        explanation.apply(key).forEach(line -> lines.add("  " + line));
    }

    /** Describes rows of the same entities; if there are none, rows of the same window end. */
    private String nearby(RowKey key) {
        String ends = came.rows().keySet().stream()
                .filter(other -> other.entities().equals(key.entities()))
                .map(other -> Instant.ofEpochMilli(other.windowEndMs()).toString())
                .sorted()
                .limit(SHOWN)
                .collect(Collectors.joining(", "));
        if (!ends.isEmpty()) {
            return "; these entities have rows at " + ends;
        }
        String rows = came.rows().keySet().stream()
                .filter(other -> other.windowEndMs() == key.windowEndMs())
                .map(this::text)
                .sorted()
                .limit(SHOWN)
                .collect(Collectors.joining(", "));
        return rows.isEmpty() ? "; %d rows came in all".formatted(came.size()) : "; at that time there is " + rows;
    }

    private void others(Expectation expected, List<String> lines) {
        Set<RowKey> listed = new HashSet<>();
        expected.rows().forEach(row -> listed.add(row.key()));
        List<ParsedRow> others = came.rows().entrySet().stream()
                .filter(row -> !listed.contains(row.getKey()))
                .map(Map.Entry::getValue)
                .sorted(Comparator.comparingLong(ParsedRow::windowEndMs)
                        .thenComparing(row -> row.entities().toString()))
                .toList();
        others.stream().limit(SHOWN).forEach(row -> {
            RowKey key = new RowKey(row.entities(), row.windowEndMs());
            lines.add(text(key) + " is not expected:");
            lines.add("  " + values(row));
            explain(key, lines);
        });
        if (others.size() > SHOWN) {
            lines.add("%d more rows are not expected".formatted(others.size() - SHOWN));
        }
    }

    /** Returns the rows that a run wrote more than once, in lines; empty if there are none. */
    List<String> repeats(String condition, RowLedger others) {
        List<String> lines = new ArrayList<>();
        others.repeats().entrySet().stream()
                .limit(SHOWN)
                .forEach(row -> lines.add("under %s: row %s is in the topic %d times"
                        .formatted(condition, row.getKey(), row.getValue())));
        if (others.repeats().size() > SHOWN) {
            lines.add("under %s: %d more rows are in the topic more than once"
                    .formatted(condition, others.repeats().size() - SHOWN));
        }
        return lines;
    }

    /** Returns how the rows of a run under a condition differ from those of the plain run, in lines; empty if they do not. */
    List<String> of(String condition, RowLedger others) {
        List<String> lines = new ArrayList<>();
        others.changed().stream()
                .limit(SHOWN)
                .forEach(head -> lines.add(
                        "under %s: row %s was written twice, with different values".formatted(condition, head)));
        Map<String, String> differences = came.differences(others);
        differences.entrySet().stream()
                .limit(SHOWN)
                .forEach(row -> lines.add("under %s: row %s %s".formatted(condition, row.getKey(), row.getValue())));
        if (differences.size() > SHOWN) {
            lines.add("under %s: %d more rows differ".formatted(condition, differences.size() - SHOWN));
        }
        return lines;
    }

    private static String text(@Nullable Number value) {
        return Objects.toString(value, "null");
    }

    private static String values(ParsedRow row) {
        return row.features().entrySet().stream()
                .filter(feature ->
                        feature.getValue() == null || feature.getValue().doubleValue() != 0)
                .limit(2 * SHOWN)
                .map(feature -> feature.getKey() + "=" + text(feature.getValue()))
                .collect(Collectors.collectingAndThen(
                        Collectors.joining(" "), text -> text.isEmpty() ? "all features are 0" : text));
    }

    private String text(RowKey key) {
        return "row " + Texts.of(view, key);
    }
}
