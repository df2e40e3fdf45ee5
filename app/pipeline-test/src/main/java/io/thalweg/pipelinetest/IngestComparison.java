package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.IngestOutcome.DeadLetter;
import io.thalweg.pipelinetest.IngestOutcome.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Compares the outcome of an ingest with what a test expects.
 *
 * @param explain whether to list the event of a row that differs, and the events without a row
 */
record IngestComparison(IngestOutcome came, RecordFiles files, boolean explain) {
    private static final int SHOWN = 3;
    private static final int SHOWN_COLUMNS = 6;

    /** Returns the differences in lines; empty if there are none. */
    List<String> of(IngestTest.Expected expected) {
        List<String> lines = new ArrayList<>();
        RowPairs pairs = RowPairs.of(expected.rows(), came.rows());
        for (int i = 0; i < expected.rows().size(); i++) {
            Row row = pairs.rows().get(i);
            if (row == null) {
                lines.add("row %d of expect is not there; %d rows came in all"
                        .formatted(i + 1, came.rows().size()));
            } else if (!pairs.differences().get(i).isEmpty()) {
                lines.add("row %d of expect is not there; the nearest one differs:".formatted(i + 1));
                pairs.differences().get(i).forEach(line -> lines.add("  " + line));
                explain(row, lines);
            }
        }
        if (expected.noOtherRows()) {
            others(pairs.others(), lines);
        }
        boolean differ = !lines.isEmpty();
        lines.addAll(expected.counts().differences(came.counts()));
        if (expected.letters() != null) {
            lines.addAll(DeadLetterKind.differences(expected.letters(), came.letterCounts()));
        }
        if (explain && (differ || !lines.isEmpty())) {
            lines.add("in no row: " + notKept());
        }
        return lines;
    }

    private void others(List<Row> others, List<String> lines) {
        others.stream().limit(SHOWN).forEach(row -> {
            lines.add("row is not expected:");
            lines.add("  " + text(row));
            explain(row, lines);
        });
        if (others.size() > SHOWN) {
            lines.add("%d more rows are not expected".formatted(others.size() - SHOWN));
        }
    }

    private void explain(Row row, List<String> lines) {
        if (explain) {
            lines.add("  made of: " + files.text(row.origin()));
        }
    }

    private static String text(Row row) {
        String text = row.values().entrySet().stream()
                .filter(value -> value.getValue() != null)
                .limit(SHOWN_COLUMNS)
                .map(value -> value.getKey() + "=" + Texts.value(value.getValue()))
                .collect(Collectors.joining(" "));
        return text.isEmpty() ? "all columns are null" : text;
    }

    private String notKept() {
        List<String> texts = new ArrayList<>();
        Set<Integer> known = new HashSet<>();
        came.rows().forEach(row -> known.add(files.number(row.origin())));
        Map<Integer, String> bad = new TreeMap<>();
        for (DeadLetter letter : came.letters()) {
            Integer number = files.number(letter.origin());
            String text = "bad: %s, %s".formatted(letter.kind().reason(), letter.detail());
            if (number == null) {
                texts.add(files.text(letter.origin()) + " " + text);
            } else {
                bad.put(number, text);
            }
        }
        IntStream.rangeClosed(1, files.numbers().size())
                .filter(number -> !known.contains(number))
                .forEach(number -> texts.add("event %d %s".formatted(number, bad.getOrDefault(number, "filtered"))));
        return texts.isEmpty() ? "no event" : String.join(", ", texts);
    }

    /** Returns how the outcome under a condition differs, in lines; empty if it does not. */
    List<String> of(String condition, IngestOutcome others) {
        return first(
                condition, Stream.concat(rows(others).stream(), came.counts().differences(others.counts()).stream()));
    }

    /** Like {@link #of(String, IngestOutcome)}, without the account. */
    List<String> ofRows(String condition, IngestOutcome others) {
        return first(condition, rows(others).stream());
    }

    private static List<String> first(String condition, Stream<String> lines) {
        return lines.limit(SHOWN)
                .map(line -> "under " + condition + ": " + line)
                .toList();
    }

    /** Returns how the rows and the dead letters of a run differ. */
    private List<String> rows(IngestOutcome others) {
        Map<String, Integer> rows = new HashMap<>();
        others.rows().forEach(row -> rows.merge(Texts.value(row.values()), 1, Integer::sum));
        came.rows().forEach(row -> rows.merge(Texts.value(row.values()), -1, Integer::sum));
        List<String> lines = new ArrayList<>();
        rows.forEach((row, more) -> {
            if (more != 0) {
                lines.add(
                        more > 0
                                ? "row %s came %d times more".formatted(row, more)
                                : "row %s came %d times less".formatted(row, -more));
            }
        });
        lines.addAll(DeadLetterKind.differences(came.letterCounts(), others.letterCounts()));
        return lines;
    }
}
