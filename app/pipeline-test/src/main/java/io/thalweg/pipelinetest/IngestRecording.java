package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.IngestOutcome.Row;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the key {@code expect} of an ingest test from its outcome. A listed row keeps its columns and its approximate values, and gets the
 * values of the row that matches it or is nearest to it. Added rows have all columns that any listed row has; if none is listed, all
 * columns.
 */
record IngestRecording(IngestTest test, IngestOutcome came) {
    /** Returns the key with its value, as lines that end in a line feed. */
    String text() {
        IngestTest.Expected expect = test.expect();
        List<String> rows = new ArrayList<>();
        boolean all = expect == null || expect.noOtherRows();
        RowPairs pairs = RowPairs.of(expect == null ? List.of() : expect.rows(), came.rows());
        Set<String> columns = new LinkedHashSet<>();
        pairs.expected().forEach(row -> columns.addAll(row.keySet()));
        for (int i = 0; i < pairs.rows().size(); i++) {
            Row row = pairs.rows().get(i);
            if (row != null) {
                rows.add(fields(row.values(), pairs.expected().get(i)));
            }
        }
        if (all || rows.isEmpty()) {
            pairs.others().forEach(row -> rows.add(row(row, columns)));
        }
        StringBuilder text = new StringBuilder("expect:\n");
        text.append(rows.isEmpty() ? "  rows: []\n" : "  rows:\n");
        rows.forEach(row -> text.append("    - {").append(row).append("}\n"));
        if (!all) {
            text.append("  no_other_rows: false\n");
        }
        text.append("  counts: ").append(counts().yaml()).append('\n');
        if (!came.letters().isEmpty() || (expect != null && expect.letters() != null)) {
            text.append("  dead_letters: [")
                    .append(came.letterCounts().entrySet().stream()
                            .map(letter -> letter.getKey().yaml(letter.getValue()))
                            .collect(Collectors.joining(", ")))
                    .append("]\n");
        }
        return text.toString();
    }

    /** Returns the counts without reasons, because the dead letters list these with their stages. */
    private Counts counts() {
        return new Counts(came.counts().outcomes(), null);
    }

    private String row(Row row, Set<String> columns) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>(row.values());
        if (!columns.isEmpty()) {
            values.keySet().retainAll(columns);
        }
        return fields(values, Map.of());
    }

    /**
     * Writes the fields of a struct.
     *
     * @param listed only these; empty = all
     */
    private String fields(Map<?, ?> values, Map<String, ColumnValue> listed) {
        return values.entrySet().stream()
                .filter(value -> listed.isEmpty() ? value.getValue() != null : listed.containsKey(text(value)))
                .map(value -> key(text(value)) + ": " + value(value.getValue(), listed.get(text(value))))
                .collect(Collectors.joining(", "));
    }

    private static String text(Map.Entry<?, ?> entry) {
        return String.valueOf(entry.getKey());
    }

    private static String key(String name) {
        return name.matches("[A-Za-z_][A-Za-z0-9_]*") ? name : Recording.quoted(name);
    }

    private String value(@Nullable Object value, @Nullable ColumnValue listed) {
        if (value instanceof Map<?, ?> map) {
            return "{" + fields(map, listed instanceof ColumnValue.Fields known ? known.fields() : Map.of()) + "}";
        }
        if (value instanceof List<?> list) {
            return list.stream().map(each -> value(each, null)).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Number && !(value instanceof BigDecimal)) {
            BigDecimal within =
                    listed instanceof ColumnValue.Numeric known ? known.number().within() : null;
            return within == null ? value.toString() : "{about: %s, within: %s}".formatted(value, within);
        }
        if (value == null || value instanceof Boolean) {
            return String.valueOf(value);
        }
        boolean isShort = value instanceof Instant instant && instant.equals(instant.truncatedTo(ChronoUnit.MILLIS));
        return Recording.quoted(isShort ? TestTimes.text((Instant) value, test.date()) : value.toString());
    }
}
