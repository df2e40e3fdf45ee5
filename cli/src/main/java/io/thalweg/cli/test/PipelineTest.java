package io.thalweg.cli.test;

import io.thalweg.cli.UserError;
import io.thalweg.formats.view.Outcome;
import io.thalweg.model.SinkSpec;
import io.thalweg.model.row.ReadStatus;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A definition of {@code kind: Test}: events, and what a view, an ingest or the publishing of rows makes of them. See {@code docs/reference/test.md}. */
sealed interface PipelineTest permits ViewTest, IngestTest, PublishTest {
    String name();

    /** Where it is written. */
    Place place();

    /** The kind and the name of what is tested, such as {@code view demand}. */
    String subject();

    /** Whether it says what is expected, which {@code --record} writes. */
    boolean isWritten();

    /** Conditions that must not change a row. */
    Set<Condition> under();

    /** Whether a row that differs lists the events that counted into it. */
    boolean explain();

    /** A document in a file; its line is that of its first key, from 1. */
    record Place(String file, int line) {}

    /** Where the events come from. */
    sealed interface Events {
        /** The file that holds the events; those of the test itself are written into a folder. */
        default String file(Path scratch) throws IOException {
            return this instanceof Inline inline
                    ? Files.write(scratch.resolve("events.jsonl"), inline.lines())
                            .toString()
                    : ((File) this).path();
        }

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
        RESCALE,
        /** The events come in other partitions, those of an ingest in another order, too. */
        SHUFFLE_PARTITIONS,
        /** Rows go to a topic, at once, and the job is killed on the way: no row is lost. */
        AT_LEAST_ONCE,
        /** Rows go to a topic, in transactions, and the job is killed on the way: each row is there once. */
        EXACTLY_ONCE,
        /** The job runs on a Flink cluster. */
        CLUSTER;

        /** What it promises of a topic; null = it is not about one. */
        SinkSpec.@Nullable Delivery delivery() {
            return switch (this) {
                case AT_LEAST_ONCE -> SinkSpec.Delivery.AT_LEAST_ONCE;
                case EXACTLY_ONCE -> SinkSpec.Delivery.EXACTLY_ONCE;
                default -> null;
            };
        }

        /** A failure of the job under this condition. */
        UserError failure(UserError job) {
            return UserError.failed("under %s: %s".formatted(text(), job.getMessage()), job.hint())
                    .causedBy(job);
        }

        /** As in definitions. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What the view makes of the events.
     *
     * @param noOtherRows whether a row that is not listed is a failure
     * @param letters dead letters by kind, complete; null = not compared
     * @param reads in the order of their moments
     */
    record Expectation(
            List<ExpectedRow> rows,
            boolean noOtherRows,
            Counts counts,
            @Nullable Map<LetterKind, Long> letters,
            List<ExpectedRead> reads) {
        public Expectation {
            rows = List.copyOf(rows);
            reads = List.copyOf(reads);
        }
    }

    /** What a read answers at a moment, epoch ms. */
    record ExpectedRead(long atMs, List<ReadRow> rows) {
        public ExpectedRead {
            rows = List.copyOf(rows);
        }
    }

    /**
     * What a read answers for a key.
     *
     * @param entities in the view's order, as {@link RowKey} has them
     * @param status as in the server's answers; null = not compared
     * @param windowEndMs null = not compared
     * @param features only these are compared
     */
    record ReadRow(
            Map<String, Object> entities,
            @Nullable ReadStatus status,
            @Nullable Long windowEndMs,
            Map<String, ExpectedValue> features) {
        public ReadRow {
            entities = Collections.unmodifiableMap(new LinkedHashMap<>(entities));
            features = Collections.unmodifiableMap(new LinkedHashMap<>(features));
        }
    }

    /**
     * Whose row, and of which window.
     *
     * @param entities in the view's order, as {@link io.thalweg.model.row.ParsedRow} has them
     */
    record RowKey(Map<String, Object> entities, long windowEndMs) {
        public RowKey {
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
        public ExpectedRow {
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
            @Nullable BigDecimal value, @Nullable BigDecimal within) {
        /** Whether it is met. Floating-point numbers are compared as such. */
        boolean matches(@Nullable Number was) {
            if (value == null || was == null) {
                return value == null && was == null;
            }
            if (isNotFinite(was)) {
                return false;
            }
            if (within != null) {
                return exact(was).subtract(value).abs().compareTo(within) <= 0;
            }
            if (was instanceof Double wide) {
                return wide == value.doubleValue();
            }
            return was instanceof Float narrow
                    ? narrow == value.floatValue()
                    : exact(was).compareTo(value) == 0;
        }

        private static boolean isNotFinite(Number number) {
            return (number instanceof Double || number instanceof Float) && !Double.isFinite(number.doubleValue());
        }

        private static BigDecimal exact(Number number) {
            return new BigDecimal(number.toString());
        }

        /** For people. */
        String text() {
            String text = value == null ? "null" : value.toString();
            return within == null ? text : "about %s within %s".formatted(text, within);
        }
    }

    /**
     * Events by outcome.
     *
     * @param outcomes by name, such as {@code accepted}; expected ones that are not listed are not compared
     * @param reasons of bad and late events by name, those that occur; null = not compared
     */
    record Counts(Map<String, Long> outcomes, @Nullable Map<String, Long> reasons) {
        /** Counts of an ingest have names of their own. */
        private static final Set<String> OF_EVENTS =
                Arrays.stream(Outcome.values()).map(Outcome::text).collect(Collectors.toSet());

        static final Counts NONE = new Counts(Map.of(), null);

        /** How others differ from these, in lines; empty if they do not. */
        List<String> differences(Counts came) {
            List<String> lines = new ArrayList<>();
            outcomes.forEach((outcome, wanted) -> {
                long was = came.outcomes.getOrDefault(outcome, 0L);
                if (was != wanted) {
                    lines.add("%s: expected %d, was %d".formatted(label(outcome), wanted, was));
                }
            });
            Map<String, Long> others = came.reasons == null ? Map.of() : came.reasons;
            Map<String, Long> wanted = reasons == null ? others : reasons;
            Set<String> all = new TreeSet<>(wanted.keySet());
            all.addAll(others.keySet());
            for (String reason : all) {
                long expected = wanted.getOrDefault(reason, 0L);
                long was = others.getOrDefault(reason, 0L);
                if (expected != was) {
                    lines.add("events with reason %s: expected %d, was %d".formatted(reason, expected, was));
                }
            }
            return lines;
        }

        private static String label(String outcome) {
            return OF_EVENTS.contains(outcome) ? "events " + outcome : outcome;
        }

        /** Outcomes as a mapping in one line, with the reasons that occur. */
        String yaml() {
            String text = flow(outcomes);
            return reasons == null || reasons.isEmpty()
                    ? "{" + text + "}"
                    : "{%s, reasons: {%s}}".formatted(text, flow(reasons));
        }

        private static String flow(Map<String, Long> counts) {
            return counts.entrySet().stream()
                    .map(count -> count.getKey() + ": " + count.getValue())
                    .collect(Collectors.joining(", "));
        }
    }
}
