package io.thalweg.runner;

import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.sink.LocalRows;
import io.thalweg.jobs.sink.LocalStreams;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.tables.RowTable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * Computes views over files, from beginning to end. Rows go to a file or the standard output, dead letters to a file. It
 * never contacts Kafka, and ends with one line of counts on stderr.
 *
 * @param output a file, whose name decides the form of the rows: {@code .parquet} and {@code .csv} are flat tables of one view, others
 *     are JSON lines; {@code -} = the standard output
 * @param deadLetters null = {@code <output>.dead.jsonl}; if rows go to the standard output, dead letters are only counted
 * @param configured the store that rows also go to; null = none
 * @param maxBad the share of bad events beyond which the run fails; 1 = never fails
 * @param maxLate the same for late events
 * @param lookups the views' lookup tables
 * @param logs the deployment whose feature logs get the window ends that they lack; null = none
 */
public record BoundedRun(
        List<FeatureView> views,
        Map<String, List<String>> files,
        String output,
        @Nullable Path deadLetters,
        DeploymentConfig.@Nullable Store configured,
        int parallelism,
        double maxBad,
        double maxLate,
        ConfiguredLookups lookups,
        @Nullable DeploymentConfig logs) {
    private static final long PROGRESS_MS = 500;

    /** Runs to the end; returns the latest watermark of the views, epoch ms, empty if there was no event with a valid time. */
    public OptionalLong run(Console console, boolean quiet) throws IOException, InterruptedException {
        requireOneView();
        Closeables open = new Closeables();
        Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, open::close);
        try (open) {
            return run(console, quiet, open);
        } finally {
            interrupt.disarm();
        }
    }

    private OptionalLong run(Console console, boolean quiet, Closeables open) throws IOException, InterruptedException {
        String job = open.add(new JobAccounts(LiveJob.newId())).jobId();
        JobMetrics metrics = JobMetrics.of(job);
        FinishedFile rows = output.equals("-") ? null : open.add(FinishedFile.open("--output", Path.of(output)));
        FinishedFile dead = deadLettersFile(open);
        // The tables and the store stay open for the job, which finds them by name.
        LookupTables unused = open.add(lookups.open(job, views));
        if (configured != null) {
            // Before the job's sinks do, so that they share its clock.
            OnlineStore unusedStore = open.add(ConfiguredStore.open(configured, views, eventTime(metrics)));
        }
        OutputStream rowsOut = rows == null ? new TextStream(console.out()) : rows.out();
        BadEvents badEvents = new BadEvents(dead == null ? OutputStream.nullOutputStream() : dead.out());
        RowTable table = table(rowsOut);
        LocalStreams.register(job, table == null ? LocalRows.lines(rowsOut) : view -> table::add, badEvents);
        long begun = System.nanoTime();
        Path scratch = logs == null ? null : scratch(open);
        execute(job, rows, scratch, console, quiet, open);
        if (table != null) {
            table.finish();
        }
        rowsOut.flush();
        if (rows != null) {
            rows.finish();
        }
        if (dead != null) {
            dead.finish();
        }
        if (logs != null && scratch != null) {
            FeatureLogs.backfill(views, scratch, logs, console);
        }
        report(metrics, badEvents, (System.nanoTime() - begun) / 1e9, console);
        return watermarksMs(metrics)
                .filter(reached -> reached != Long.MIN_VALUE)
                .max();
    }

    /** Creates the folder of the logs that are computed, before they are compared. */
    private static Path scratch(Closeables open) throws IOException {
        Path folder = Files.createTempDirectory("thalweg-backfill");
        AutoCloseable unused = open.add(() -> Folders.deleteQuietly(folder));
        return folder;
    }

    /** Starts the table that the name of the output asks for; null for JSON lines. */
    private @Nullable RowTable table(OutputStream out) throws IOException {
        Optional<RowTable.Form> form = RowTable.Form.ofName(output);
        return form.isEmpty() ? null : RowTable.open(form.get(), views.get(0), out);
    }

    /**
     * Refuses an output that does not suit the views.
     *
     * @throws UserError for a table of several views
     */
    private void requireOneView() {
        if (views.size() > 1 && RowTable.Form.ofName(output).isPresent()) {
            throw UserError.usage(
                    "--output %s is a table of one view, and there are %d: %s"
                            .formatted(
                                    output,
                                    views.size(),
                                    views.stream()
                                            .map(FeatureView::qualifiedName)
                                            .collect(Collectors.joining(", "))),
                    "run them one after the other, or write JSON lines (.jsonl)");
        }
    }

    private @Nullable FinishedFile deadLettersFile(Closeables open) {
        if (deadLetters == null && output.equals("-")) {
            return null;
        }
        Path file = deadLetters == null ? Path.of(output + ".dead.jsonl") : deadLetters;
        return open.add(FinishedFile.open("--dead-letters", file));
    }

    private LongStream watermarksMs(JobMetrics metrics) {
        return views.stream()
                .mapToLong(view -> metrics.view(view.qualifiedName()).watermarkMs());
    }

    private void execute(
            String job,
            @Nullable FinishedFile rows,
            @Nullable Path scratch,
            Console console,
            boolean quiet,
            Closeables open)
            throws IOException, InterruptedException {
        StreamExecutionEnvironment environment = EmbeddedFlink.bounded(parallelism);
        new ComputeJob(
                        job,
                        "bounded",
                        views,
                        new ComputeJob.Files(files),
                        lookups.sources(views),
                        configured == null ? null : ConfiguredStore.name(configured),
                        ClockSpec.system(),
                        Map.of(),
                        scratch == null ? Map.of() : FeatureLogs.scratch(views, scratch, job))
                .addTo(environment);
        JobClient client = Jobs.submit(environment, "thalweg run");
        AutoCloseable unused = open.add(() -> {
            if (!client.getJobExecutionResult().isDone()) {
                Jobs.cancel(client);
            }
        });
        try (ProgressLine progress = console.progress(quiet)) {
            if (rows != null) {
                views.stream()
                        .filter(view -> !view.isKeyed())
                        .forEach(view -> progress.say(RingRows.perEventText(view)));
            }
            await(client.getJobExecutionResult(), JobMetrics.of(job), rows, progress);
        }
    }

    private void await(CompletableFuture<?> result, JobMetrics metrics, @Nullable FinishedFile rows, ProgressLine line)
            throws InterruptedException {
        long size = InputFiles.bytes(files, views);
        long begun = System.nanoTime();
        while (true) {
            try {
                result.get(PROGRESS_MS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                line.show(() -> progress(metrics, size, rows, (System.nanoTime() - begun) / 1e9));
            } catch (ExecutionException e) {
                throw Jobs.failure(e.getCause());
            }
        }
    }

    private String progress(JobMetrics metrics, long size, @Nullable FinishedFile rows, double seconds) {
        long events = sum(metrics, EventOutcome.values());
        String done = size > 0 ? "%3d %%  ".formatted(Math.min(100, 100 * metrics.bytesRead() / size)) : "";
        String written = rows == null ? "" : " (" + Units.bytes((double) rows.writtenBytes()) + ")";
        return "%s%,d events (%,.0f/s), %,d rows%s".formatted(done, events, events / seconds, rows(metrics), written);
    }

    private void report(JobMetrics metrics, BadEvents badEvents, double seconds, Console console) {
        long events = sum(metrics, EventOutcome.values());
        long bad = sum(metrics, EventOutcome.BAD);
        console.err()
                .println(String.format(
                        Locale.ROOT,
                        "events=%d accepted=%d skipped=%d bad=%d late=%d rows=%d seconds=%.1f events_per_second=%.0f",
                        events,
                        sum(metrics, EventOutcome.ACCEPTED),
                        sum(metrics, EventOutcome.SKIPPED),
                        bad,
                        sum(metrics, EventOutcome.LATE),
                        rows(metrics),
                        seconds,
                        events / seconds));
        String where = deadLetters == null && output.equals("-")
                ? "see them with --dead-letters FILE"
                : "they are in the dead letters, each with its reason";
        if (bad > 0) {
            console.err().println(badEvents.explain(counts(metrics)) + "; " + where);
        }
        if (bad > 0 && bad == events) {
            throw UserError.failed("no event is good, so there are no rows", where);
        }
        BadShare.require(bad, events, maxBad, where);
        long late = sum(metrics, EventOutcome.LATE);
        if (late > 0) {
            console.err().println(late(metrics) + "; " + where);
        }
        BadShare.require("late", late, events, maxLate, where);
    }

    /** Explains why events are late: a single one that is ahead of all that follow makes them so. */
    private String late(JobMetrics metrics) {
        return views.stream()
                .filter(view -> metrics.view(view.qualifiedName()).outcome(EventOutcome.LATE) > 0)
                .map(view -> {
                    JobMetrics.View counts = metrics.view(view.qualifiedName());
                    return "view %s: %d of %d events are late: more than max_out_of_orderness (%s) behind an event that was read before; the latest event is of %s"
                            .formatted(
                                    view.qualifiedName(),
                                    counts.outcome(EventOutcome.LATE),
                                    counts.events(),
                                    view.source().maxOutOfOrderness().text(),
                                    Instant.ofEpochMilli(counts.maxEventTimeMs()));
                })
                .collect(Collectors.joining("; "));
    }

    private List<JobMetrics.View> counts(JobMetrics metrics) {
        return views.stream().map(view -> metrics.view(view.qualifiedName())).toList();
    }

    private long sum(JobMetrics metrics, EventOutcome... outcomes) {
        long sum = 0;
        for (FeatureView view : views) {
            for (EventOutcome outcome : outcomes) {
                sum += metrics.view(view.qualifiedName()).outcome(outcome);
            }
        }
        return sum;
    }

    private long rows(JobMetrics metrics) {
        return views.stream()
                .mapToLong(view -> metrics.view(view.qualifiedName()).rows())
                .sum();
    }

    /** Returns a clock that follows event time, so that rows of a bounded run do not expire because they are old. */
    private Clock eventTime(JobMetrics metrics) {
        InstantSource watermark = () ->
                Instant.ofEpochMilli(Math.max(0, watermarksMs(metrics).min().orElse(0)));
        return watermark.withZone(ZoneOffset.UTC);
    }
}
