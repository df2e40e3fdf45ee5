package io.thalweg.pipelinetest;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.pipelinetest.PipelineTest.Counts;
import io.thalweg.pipelinetest.PipelineTest.Events;
import io.thalweg.pipelinetest.PipelineTest.Expectation;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRow;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import io.thalweg.runner.ConfiguredLookups;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test of a view: once plainly, to compare the expectation, and once under each condition, which must make the same
 * rows.
 *
 * <p><b>Threads.</b> One.
 *
 * @param broker the broker for conditions on a topic
 * @param scratch a folder for events
 * @param recording whether expectations are recorded from the output instead of compared
 */
record ViewTestRun(
        ViewTest test,
        ConfiguredLookups lookups,
        TestCluster cluster,
        TestBroker broker,
        Path scratch,
        boolean recording) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PARTITIONS = 4;
    private static final int SUBTASKS = 3;

    /**
     * Runs the test.
     *
     * @param failures receives lines that describe differences
     * @return the text of the new {@code expect}; null if it was not requested
     */
    @Nullable
    String run(List<String> failures) throws IOException, InterruptedException {
        String events = test.events().file(scratch);
        Judged judged = new Judged(events);
        RowLedger rows = new RowLedger(test.view(), wholeEndsMs(judged));
        ByteArrayOutputStream letters = new ByteArrayOutputStream();
        Counts counts = cluster.run(new ViewJob(test.view(), List.of(events), lookups, rows, letters, null), 1);
        Comparison comparison = new Comparison(test.view(), rows, row -> explanation(row, judged));
        Expectation expect = test.expect();
        if (expect != null && !recording) {
            failures.addAll(comparison.of(expect, counts));
            if (expect.letters() != null) {
                failures.addAll(DeadLetterKind.differences(expect.letters(), letters(letters)));
            }
        }
        List<ViewReads.Answer> answers = List.of();
        if (expect != null && !expect.reads().isEmpty()) {
            ViewReads reads = new ViewReads(test.view(), expect.reads(), scratch.resolve("store"));
            answers = reads.answers(cluster, store -> job(events, store), judged.get());
            if (!recording) {
                failures.addAll(ViewReads.differences(test.view(), answers));
            }
        }
        for (Condition condition : test.under()) {
            if (condition == Condition.SHUFFLE_PARTITIONS && late(counts) > 0) {
                failures.add(
                        ("under shuffle_partitions: %d of the events %s late, and which events are late depends on the"
                                        + " partitions; test late events without it")
                                .formatted(late(counts), late(counts) == 1 ? "is" : "are"));
                continue;
            }
            RowLedger others = under(condition, events, events(counts));
            failures.addAll(comparison.of(condition.text(), others));
            if (condition == Condition.EXACTLY_ONCE || condition == Condition.CLUSTER) {
                failures.addAll(comparison.repeats(condition.text(), others));
            }
        }
        return recording ? new Recording(test, rows, counts, letters(letters), answers).text(judged.get()) : null;
    }

    private RowLedger under(Condition condition, String events, long total) throws IOException, InterruptedException {
        if (condition == Condition.CLUSTER) {
            DeliveredViewJob job =
                    DeliveredViewJob.of(test.view(), SinkSpec.Delivery.EXACTLY_ONCE, events, lookups, broker);
            return TopicRows.ledger(test.view(), cluster.runOnFlink(job));
        }
        SinkSpec.Delivery delivery = condition.delivery();
        if (delivery != null) {
            DeliveredViewJob job = DeliveredViewJob.of(test.view(), delivery, events, lookups, broker);
            return TopicRows.ledger(test.view(), cluster.run(job, condition, total));
        }
        RowLedger rows = new RowLedger(test.view(), Set.of());
        if (condition == Condition.SHUFFLE_PARTITIONS) {
            cluster.run(new ViewJob(test.view(), dealt(), lookups, rows), SUBTASKS);
        } else {
            cluster.run(new ViewJob(test.view(), List.of(events), lookups, rows), condition, total);
        }
        return rows;
    }

    /**
     * Writes files with some of the events each, in order. Each file is a partition that is read before the next one starts. An
     * event that is not late among all events is not late among fewer.
     */
    private List<String> dealt() throws IOException {
        List<String> lines = ((Events.Inline) test.events()).lines();
        List<List<String>> partitions = Stream.generate(() -> (List<String>) new ArrayList<String>())
                .limit(PARTITIONS)
                .toList();
        List<Integer> owners = new ArrayList<>();
        lines.forEach(line -> owners.add(owners.size() % PARTITIONS));
        Collections.shuffle(owners, new Random(test.name().hashCode()));
        for (int line = 0; line < lines.size(); line++) {
            partitions.get(owners.get(line)).add(lines.get(line));
        }
        List<String> files = new ArrayList<>();
        for (List<String> partition : partitions) {
            Path file = scratch.resolve("partition-%d.jsonl".formatted(files.size()));
            files.add(Files.write(file, partition).toString());
        }
        return files;
    }

    private ViewJob job(String events, Path store) {
        OutputStream nowhere = OutputStream.nullOutputStream();
        return new ViewJob(test.view(), List.of(events), lookups, nowhere, nowhere, store);
    }

    private static Map<DeadLetterKind, Long> letters(ByteArrayOutputStream lines) throws IOException {
        Map<DeadLetterKind, Long> letters = new TreeMap<>();
        for (String line : lines.toString(StandardCharsets.UTF_8).lines().toList()) {
            String reason = JSON.readTree(line).path("reason").asText();
            letters.merge(new DeadLetterKind("", reason), 1L, Long::sum);
        }
        return letters;
    }

    private static long late(Counts counts) {
        return Objects.requireNonNull(counts.outcomes().get(EventOutcome.LATE.text()));
    }

    private static long events(Counts counts) {
        return counts.outcomes().values().stream().mapToLong(Long::longValue).sum();
    }

    /** The outcomes of the events, read once, when first needed. Most tests need them only if they fail. */
    private final class Judged {
        private final String file;
        private @Nullable CountedEvents events;

        Judged(String file) {
            this.file = file;
        }

        CountedEvents get() throws IOException {
            if (events == null) {
                events = CountedEvents.read(test.view(), file, lookups);
            }
            return events;
        }
    }

    private List<String> explanation(RowKey row, Judged judged) {
        try {
            return test.explain() ? judged.get().of(row) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read events again: " + judged.file, e);
        }
    }

    /** Returns the window ends whose rows are kept whole; null = all. */
    private @Nullable Set<Long> wholeEndsMs(Judged judged) throws IOException {
        Expectation expect = test.expect();
        if (expect == null || expect.rows().isEmpty()) {
            boolean none = !recording && (expect == null || !expect.noOtherRows());
            return none ? Set.of() : test.view().isKeyed() ? null : judged.get().firstEndsMs();
        }
        return expect.noOtherRows()
                ? null
                : expect.rows().stream()
                        .map(ExpectedRow::key)
                        .map(RowKey::windowEndMs)
                        .collect(Collectors.toSet());
    }
}
