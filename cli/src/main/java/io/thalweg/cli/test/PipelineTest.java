package io.thalweg.cli.test;

import io.thalweg.model.FeatureView;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A definition of {@code kind: Test}: events, and what a view makes of them. See {@code docs/reference/test.md}.
 *
 * @param place where it is written
 * @param date of times without a date
 * @param expect null where it has none yet, which {@code --record} writes
 * @param under conditions that must not change a row
 * @param explain whether a row that differs lists the events that counted into it
 */
record PipelineTest(
        String name,
        Place place,
        FeatureView view,
        LocalDate date,
        Events events,
        @Nullable Expectation expect,
        Set<Condition> under,
        boolean explain) {
    /** A document in a file; its line is that of its first key, from 1. */
    record Place(String file, int line) {}

    /** Where the events come from. */
    sealed interface Events {
        /** Lines of JSON. */
        record Inline(List<String> lines) implements Events {
            public Inline {
                lines = List.copyOf(lines);
            }
        }

        /** A file of events as {@code run --input} takes it; its absolute path. */
        record File(String path) implements Events {}
    }

    /** A condition under which the same events must make the same rows. */
    enum Condition {
        /** The job is killed some time after a checkpoint and continues from it. */
        RESTART,
        /** The same, and it continues with another parallelism. */
        RESCALE;

        /** As in definitions. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What the view makes of the events.
     *
     * @param noOtherRows whether a row that is not listed is a failure
     */
    record Expectation(List<ExpectedRow> rows, boolean noOtherRows, Counts counts) {
        Expectation {
            rows = List.copyOf(rows);
        }
    }

    /**
     * Whose row, and of which window.
     *
     * @param entities in the view's order, as {@link io.thalweg.model.row.ParsedRow} has them
     */
    record RowKey(Map<String, Object> entities, long windowEndMs) {
        RowKey {
            entities = Collections.unmodifiableMap(new LinkedHashMap<>(entities));
        }
    }

    /**
     * One row.
     *
     * @param absent whether there must be no such row
     * @param features only these are compared, in the order of the definition
     */
    record ExpectedRow(RowKey key, boolean absent, Map<String, ExpectedValue> features) {
        ExpectedRow {
            features = Collections.unmodifiableMap(new LinkedHashMap<>(features));
        }
    }

    /**
     * The value of a feature.
     *
     * @param value null = the feature is null
     * @param within how far the feature may be from it; null = not at all
     */
    record ExpectedValue(
            @Nullable BigDecimal value, @Nullable BigDecimal within) {}

    /**
     * Events by outcome; those that are not listed are not compared.
     *
     * @param outcomes by name, such as {@code accepted}
     * @param reasons of bad and late events by name, complete; null = not compared
     */
    record Counts(Map<String, Long> outcomes, @Nullable Map<String, Long> reasons) {
        static final Counts NONE = new Counts(Map.of(), null);
    }
}
