package io.thalweg.cli.test;

import io.thalweg.cli.ConfiguredLookups;
import io.thalweg.cli.UserError;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.cli.test.PipelineTest.Events;
import io.thalweg.cli.test.PipelineTest.Expectation;
import io.thalweg.cli.test.PipelineTest.ExpectedRow;
import io.thalweg.cli.test.PipelineTest.RowKey;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.embedded.EmbeddedCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test: once plainly, for what it expects, and once under each condition, for the same rows.
 *
 * <p><b>Threads.</b> One.
 *
 * @param cluster where the jobs of all tests run, one after the other
 * @param scratch a folder for events and checkpoints, which belongs to this test
 * @param recording whether expectations are written from what came out, instead of compared
 */
record TestRun(PipelineTest test, ConfiguredLookups lookups, EmbeddedCluster cluster, Path scratch, boolean recording) {
    /**
     * How a test ended.
     *
     * @param failures lines that say what differs; empty = nothing does
     * @param recorded the text of the new {@code expect}; null if it was not asked for
     */
    record Result(
            PipelineTest test,
            double seconds,
            List<String> failures,
            @Nullable String recorded) {
        Result {
            failures = List.copyOf(failures);
        }

        boolean passed() {
            return failures.isEmpty();
        }
    }

    Result run() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        List<String> failures = new ArrayList<>();
        String recorded = null;
        try {
            recorded = run(failures);
        } catch (UserError e) {
            failures.add(e.getMessage() + (e.hint().isEmpty() ? "" : "; " + e.hint()));
        }
        return new Result(test, (System.nanoTime() - begun) / 1e9, failures, recorded);
    }

    private @Nullable String run(List<String> failures) throws IOException, InterruptedException {
        String events = events();
        Judged judged = new Judged(events);
        TestJob job = new TestJob(test.view(), events, lookups, cluster, scratch);
        RowLedger rows = new RowLedger(test.view(), wholeEndsMs(judged));
        JobMetrics.View counts = job.run(rows);
        Comparison comparison = new Comparison(test.view(), rows, row -> explanation(row, judged));
        Expectation expect = test.expect();
        if (expect != null && !recording) {
            failures.addAll(comparison.of(expect, counts));
        }
        for (Condition condition : test.under()) {
            RowLedger others = new RowLedger(test.view(), Set.of());
            job.run(condition, counts.events(), others);
            failures.addAll(comparison.of(condition.text(), others));
        }
        return recording ? new Recording(test, rows, counts).text(judged.get()) : null;
    }

    /** The file that holds the events. */
    private String events() throws IOException {
        if (test.events() instanceof Events.Inline inline) {
            return Files.write(scratch.resolve("events.jsonl"), inline.lines()).toString();
        }
        return ((Events.File) test.events()).path();
    }

    /** The outcomes of the events, which are read once, when they are first needed. Most tests need them only if they fail. */
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

    /** Which rows are kept whole: null = all. */
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
