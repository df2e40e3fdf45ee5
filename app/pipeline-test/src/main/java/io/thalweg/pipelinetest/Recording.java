package io.thalweg.pipelinetest;

import io.thalweg.model.row.ParsedRow;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.pipelinetest.PipelineTest.Expectation;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRow;
import io.thalweg.pipelinetest.PipelineTest.ExpectedValue;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the key {@code expect} of a test from its output. A test that lists rows and features keeps exactly these. A test without rows
 * gets all rows of a keyed view; for a view with rings, it gets the rows of the cells of its events, at the first window end of each.
 *
 * <p><b>Threads.</b> One.
 */
record Recording(
        ViewTest test,
        RowLedger rows,
        Counts counts,
        Map<DeadLetterKind, Long> letters,
        List<ViewReads.Answer> answers) {
    /** Returns the key with its value, as lines that end in a line feed. */
    String text(CountedEvents events) {
        StringBuilder text = new StringBuilder("expect:\n");
        Map<RowKey, Map<String, ExpectedValue>> wanted = wanted(events);
        text.append(wanted.isEmpty() ? "  rows: []\n" : "  rows:\n");
        wanted.forEach((key, features) ->
                text.append("    - ").append(row(key, features)).append('\n'));
        Expectation expect = test.expect();
        boolean usual = test.view().isKeyed();
        if (expect != null && expect.noOtherRows() != usual && !expect.rows().isEmpty()) {
            text.append("  no_other_rows: ").append(expect.noOtherRows()).append('\n');
        }
        text.append("  counts: ").append(counts.yaml()).append('\n');
        if (expect != null && expect.letters() != null) {
            text.append("  dead_letters: ").append(DeadLetterKind.yaml(letters)).append('\n');
        }
        if (!answers.isEmpty()) {
            text.append("  reads:\n");
            answers.forEach(answer -> text.append(reading().text(answer)));
        }
        return text.toString();
    }

    private ReadRecording reading() {
        return new ReadRecording(test.view(), test.date());
    }

    /** Returns the rows to write and their features; no features means all. */
    private Map<RowKey, Map<String, ExpectedValue>> wanted(CountedEvents events) {
        Map<RowKey, Map<String, ExpectedValue>> wanted = new LinkedHashMap<>();
        Expectation expect = test.expect();
        List<ExpectedRow> listed = expect == null ? List.of() : expect.rows();
        listed.forEach(row -> wanted.put(row.key(), row.features()));
        if (listed.isEmpty() && !test.view().isKeyed()) {
            sorted(events.firstRows()).forEach(key -> wanted.put(key, Map.of()));
        } else if (expect == null || expect.noOtherRows()) {
            sorted(rows.rows().keySet()).forEach(key -> wanted.putIfAbsent(key, Map.of()));
        }
        return wanted;
    }

    private static List<RowKey> sorted(Collection<RowKey> keys) {
        return keys.stream()
                .sorted(Comparator.comparingLong(RowKey::windowEndMs)
                        .thenComparing(key -> key.entities().toString()))
                .toList();
    }

    private String row(RowKey key, Map<String, ExpectedValue> listed) {
        List<String> fields = reading().entities(key.entities());
        fields.add("window_end: \"" + TestTimes.text(Instant.ofEpochMilli(key.windowEndMs()), test.date()) + '"');
        ParsedRow row = rows.rows().get(key);
        fields.add(row == null ? "absent: true" : "features: {" + ReadRecording.features(row.features(), listed) + "}");
        return "{" + String.join(", ", fields) + "}";
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
