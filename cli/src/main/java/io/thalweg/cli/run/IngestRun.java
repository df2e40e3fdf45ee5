package io.thalweg.cli.run;

import io.thalweg.cli.Console;
import io.thalweg.cli.ProgressLine;
import io.thalweg.cli.UserError;
import io.thalweg.jobs.ingest.IngestAccount.Count;
import io.thalweg.jobs.ingest.IngestCounts;
import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.jobs.ingest.WrittenFiles;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes the events of files to a table, from beginning to end, and prints one line of counts on stderr. An interrupted run
 * resumes at the next start, if the files are still the same.
 *
 * @param resume {@code latest} or {@code none}
 * @param maxBad share of bad events beyond which the run fails; 1 = never
 * @param deadLetters a file
 */
record IngestRun(
        IngestPlan plan,
        IngestInput input,
        DeploymentConfig deploymentConfig,
        int parallelism,
        String resume,
        double maxBad,
        Path deadLetters) {
    private static final long LOOK_MS = 200;

    /**
     * Runs until all is written.
     *
     * @throws UserError if the account does not balance, or more events are bad than allowed
     */
    void run(Console console, boolean quiet) throws IOException, InterruptedException {
        String folder = plan.ingest().sink().folder();
        if (!folder.contains("://")) {
            WritablePlaces.requireFolder("sink.parquet", Path.of(folder));
        }
        WritablePlaces.requireFile("dead letters", deadLetters);
        JobPlan job = JobPlan.ingest(plan, input, deploymentConfig, deadLetters);
        String id = LiveJob.newId();
        IngestCounts counts = IngestCounts.of(id);
        long begunNanos = System.nanoTime();
        try (ProgressLine progress = console.progress(quiet)) {
            LiveJob live = LiveJob.start(id, job, parallelism, resume);
            Interrupt interrupt = Interrupt.with(UserError.INTERRUPTED, () -> {
                progress.say("stopping: writing what was read, and taking a savepoint");
                live.stop();
                console.err()
                        .println(plan.ingest().qualifiedName() + ": interrupted; the same command goes on from here");
                console.err().flush();
            });
            try {
                progress.say(live.beginning());
                progress.say("writing to " + plan.ingest().sink().folder());
                watch(live.ended(), counts, progress);
            } finally {
                interrupt.disarm();
            }
        }
        Account account = new Account(counts, written(job), (System.nanoTime() - begunNanos) / 1e9);
        console.err().println(account.line());
        account.requireBalance();
        BadShare.require(
                counts.get(Count.BAD),
                counts.get(Count.EVENTS),
                maxBad,
                "the dead letters name the reasons: " + deadLetters);
        job.checkpoints().forgetAll();
    }

    private WrittenFiles written(JobPlan job) throws IOException {
        return WrittenFiles.of(plan.ingest().sink().folder(), job.checkpoints().outputName() + "-");
    }

    private void watch(CompletableFuture<?> ended, IngestCounts counts, ProgressLine progress)
            throws InterruptedException {
        Rate rate = new Rate();
        while (true) {
            try {
                ended.get(LOOK_MS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                progress.show(() -> rate.line(counts));
            } catch (ExecutionException e) {
                throw Jobs.failure(e.getCause());
            }
        }
    }

    /** What the run has done, by independent counts: those of the translation and those in the footers of the files. */
    private final class Account {
        private final IngestCounts counts;
        private final WrittenFiles written;
        private final double seconds;

        Account(IngestCounts counts, WrittenFiles written, double seconds) {
            this.counts = counts;
            this.written = written;
            this.seconds = seconds;
        }

        String line() {
            long events = counts.get(Count.EVENTS);
            long bad = counts.get(Count.BAD);
            long bytes = counts.get(Count.BYTES_IN);
            return String.format(
                    Locale.ROOT,
                    "%s: records=%d events=%d filtered=%d bad=%d kept=%d rows=%d written=%d refused=0 files=%d bytes_in=%d"
                            + " bytes_out=%d seconds=%.1f events_per_second=%.0f mb_per_second=%.1f%s%s",
                    plan.ingest().qualifiedName(),
                    counts.get(Count.RECORDS),
                    events,
                    counts.get(Count.FILTERED),
                    bad,
                    counts.get(Count.KEPT),
                    counts.get(Count.KEPT),
                    written.rows(),
                    written.files(),
                    bytes,
                    written.bytes(),
                    seconds,
                    events / seconds,
                    bytes / 1e6 / seconds,
                    bad == 0 ? "" : " reasons=" + counts.badByReason(),
                    bad == 0 ? "" : " dead_letters=" + deadLetters);
        }

        void requireBalance() {
            long events = counts.get(Count.EVENTS);
            long filtered = counts.get(Count.FILTERED);
            long bad = counts.get(Count.BAD);
            long kept = counts.get(Count.KEPT);
            if (events != filtered + bad + kept) {
                throw defect("%d events were read, but %d filtered, %d bad and %d kept"
                        .formatted(events, filtered, bad, kept));
            }
            if (kept != written.rows()) {
                throw defect("%d rows were made, but the files %s-* have %d"
                        .formatted(kept, plan.ingest().qualifiedName(), written.rows()));
            }
        }

        private static UserError defect(String message) {
            return UserError.failed(
                    message, "this is a defect; remove the files of this run and start over with --resume none");
        }
    }

    /** How fast it goes, and how far it is. */
    private final class Rate {
        private long nanos = System.nanoTime();
        private long events;
        private long bytes;

        String line(IngestCounts counts) {
            long now = System.nanoTime();
            double seconds = Math.max(1e-3, (now - nanos) / 1e9);
            long newEvents = counts.get(Count.EVENTS);
            long newBytes = counts.get(Count.BYTES_IN);
            String line = String.format(
                    Locale.ROOT,
                    "%s: %s%,d events, %,.0f a second, %,.1f MB a second in, %,d bad",
                    plan.ingest().qualifiedName(),
                    share(newBytes),
                    newEvents,
                    (newEvents - events) / seconds,
                    (newBytes - bytes) / 1e6 / seconds,
                    counts.get(Count.BAD));
            nanos = now;
            events = newEvents;
            bytes = newBytes;
            return line;
        }

        private String share(long read) {
            long total = input.bytes();
            return total == 0 ? "" : "%3d %%  ".formatted(Math.round(100.0 * Math.min(read, total) / total));
        }
    }
}
