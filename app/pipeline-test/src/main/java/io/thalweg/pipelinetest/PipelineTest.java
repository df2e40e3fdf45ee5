package io.thalweg.pipelinetest;

import io.thalweg.formats.view.EventOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.runner.UserError;
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

/**
 * A definition of {@code kind: Test}: events, and the expected result of a view, an ingest or the publishing of rows. See {@code
 * docs/reference/test.md}.
 */
sealed interface PipelineTest permits ViewTest, IngestTest, PublishTest {
    String name();

    /** Where the test is written. */
    SourceLine place();

    /** The kind and the name of what is tested, such as {@code view demand}. */
    String subject();

    /** Whether the test contains its expectation, which {@code --record} writes. */
    boolean isWritten();

    /** Conditions that must not change a row. */
    Set<Condition> under();

    /** Whether to list the events that counted into a row that differs. */
    boolean explain();

    /** A document in a file; its line is that of its first key, from 1. */
    record SourceLine(String file, int line) {}

    /** Where the events come from. */
    sealed interface Events {
        /** Returns the file of the events; events listed in the test are first written into a folder. */
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
        /** The job is killed some time after a checkpoint and resumes from it. */
        RESTART,
        /** The same, and the job resumes with another parallelism. */
        RESCALE,
        /** The events arrive in other partitions; those of an ingest also in another order. */
        SHUFFLE_PARTITIONS,
        /** Rows go to a topic at once, and the job is killed while running: no row is lost. */
        AT_LEAST_ONCE,
        /** Rows go to a topic in transactions, and the job is killed while running: each row occurs once. */
        EXACTLY_ONCE,
        /** The job runs on a Flink cluster. */
        CLUSTER;

        /** The delivery to a topic that it promises; null = it does not concern a topic. */
        SinkSpec.@Nullable Delivery delivery() {
            return switch (this) {
                case AT_LEAST_ONCE -> SinkSpec.Delivery.AT_LEAST_ONCE;
                case EXACTLY_ONCE -> SinkSpec.Delivery.EXACTLY_ONCE;
                default -> null;
            };
        }

        /** Returns the error for a failure of the job under this condition. */
        UserError failure(UserError job) {
            return UserError.failed("under %s: %s".formatted(text(), job.getMessage()), job.hint())
                    .causedBy(job);
        }

        /** The name in definitions. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The expected outcome of the events.
     *
     * @param noOtherRows whether a row that is not listed is a failure
     * @param letters dead letters by kind, complete; null = not compared
     * @param reads in the order of their moments
     */
    record Expectation(
            List<ExpectedRow> rows,
            boolean noOtherRows,
            Counts counts,
            @Nullable Map<DeadLetterKind, Long> letters,
            List<ExpectedRead> reads) {
        public Expectation {
            rows = List.copyOf(rows);
            reads = List.copyOf(reads);
        }
    }

    /** The expected answer of a read at a moment, epoch ms. */
    record ExpectedRead(long atMs, List<ReadRow> rows) {
        public ExpectedRead {
            rows = List.copyOf(rows);
        }
    }

    /**
     * The expected answer of a read for a key.
     *
     * @param entities in the view's order, as in {@link RowKey}
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
     * The identity of a row: its entities and its window end.
     *
     * @param entities in the view's order, as in {@link io.thalweg.model.row.ParsedRow}
     */
    record RowKey(Map<String, Object> entities, long windowEndMs) {
        public RowKey {
            entities = Collections.unmodifiableMap(new LinkedHashMap<>(entities));
        }
    }

    /**
     * An expected row.
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
     * The expected value of a feature.
     *
     * @param value null = the feature is null
     * @param within the tolerance; null = the value must be exact
     */
    record ExpectedValue(
            @Nullable BigDecimal value, @Nullable BigDecimal within) {
        /** Whether a value meets the expectation. Floating-point numbers are compared as such. */
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
     * @param outcomes by name, such as {@code accepted}; outcomes that an expectation does not list are not compared
     * @param reasons reasons of bad and late events that occur, by name; null = not compared
     */
    record Counts(Map<String, Long> outcomes, @Nullable Map<String, Long> reasons) {
        /** The outcomes of events of a view; those of an ingest have other names. */
        private static final Set<String> OF_EVENTS =
                Arrays.stream(EventOutcome.values()).map(EventOutcome::text).collect(Collectors.toSet());

        static final Counts NONE = new Counts(Map.of(), null);

        /** Returns how others differ from these, in lines; empty if they do not. */
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

        /** Returns the outcomes as a mapping in one line, with the reasons that occur. */
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
