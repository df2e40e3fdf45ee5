package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.PipelineTest.ExpectedValue;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The expected value of a column. */
sealed interface ColumnValue {
    /**
     * Adds lines that describe how a value differs; none if it does not.
     *
     * @param path of the column
     * @param was as {@link io.thalweg.tables.ParquetRecords} reads it
     */
    void compare(String path, @Nullable Object was, List<String> lines);

    private static String difference(String path, Object expected, @Nullable Object was) {
        return "%s: expected %s, was %s".formatted(path, expected, Texts.value(was));
    }

    /** A value that is compared exactly: text, a boolean, a time, or null. */
    record Exact(@Nullable Object value) implements ColumnValue {
        @Override
        public void compare(String path, @Nullable Object was, List<String> lines) {
            if (!Objects.equals(value, was)) {
                lines.add(difference(path, Texts.value(value), was));
            }
        }
    }

    /** A number. */
    record Numeric(ExpectedValue number) implements ColumnValue {
        @Override
        public void compare(String path, @Nullable Object was, List<String> lines) {
            if (!(was == null || was instanceof Number) || !number.matches((Number) was)) {
                lines.add(difference(path, number.text(), was));
            }
        }
    }

    /** The fields of a struct to compare; others are ignored. */
    record Fields(Map<String, ColumnValue> fields) implements ColumnValue {
        public Fields {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        @Override
        public void compare(String path, @Nullable Object was, List<String> lines) {
            if (was instanceof Map<?, ?> values) {
                fields.forEach((name, field) -> field.compare(path + "." + name, values.get(name), lines));
            } else {
                lines.add(difference(path, "a struct", was));
            }
        }
    }

    /** All elements of a list. */
    record Elements(List<ColumnValue> elements) implements ColumnValue {
        public Elements {
            elements = List.copyOf(elements);
        }

        @Override
        public void compare(String path, @Nullable Object was, List<String> lines) {
            if (!(was instanceof List<?> values) || values.size() != elements.size()) {
                lines.add(difference(path, "a list of " + elements.size(), was));
                return;
            }
            for (int i = 0; i < elements.size(); i++) {
                elements.get(i).compare(path + "[" + i + "]", values.get(i), lines);
            }
        }
    }

    /** All entries of a map, by their keys as text. */
    record Entries(Map<String, ColumnValue> entries) implements ColumnValue {
        public Entries {
            entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }

        @Override
        public void compare(String path, @Nullable Object was, List<String> lines) {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            if (was instanceof Map<?, ?> map) {
                map.forEach((key, value) -> values.put(String.valueOf(key), value));
            }
            if (!(was instanceof Map) || !values.keySet().equals(entries.keySet())) {
                lines.add(difference(path, "a map with the keys " + entries.keySet(), was));
                return;
            }
            entries.forEach((key, value) -> value.compare(path + "[" + key + "]", values.get(key), lines));
        }
    }
}
