package io.thalweg.cli.run;

import io.thalweg.cli.Console;
import io.thalweg.cli.ProgressLine;
import io.thalweg.cli.UserError;
import io.thalweg.jobs.ingest.IngestAccount.Count;
import io.thalweg.jobs.ingest.IngestCounts;
import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.jobs.lane.LaneAccount;
import io.thalweg.jobs.sink.TopicAccount;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A job that writes events to a table and ends; one that is interrupted resumes at the next start.
 *
 * @param totalBytes of all that is read; 0 = not known
 * @param deadLetters where they are, for people
 */
record BoundedIngest(
        IngestPlan plan, DeploymentConfig deploymentConfig, JobPlan job, long totalBytes, String deadLetters) {
    private static final long LOOK_MS = 200;

    /**
     * Runs until all is written.
     *
     * @param resume {@code latest} or {@code none}
     * @throws UserError if the job fails
     */
    IngestReport run(int parallelism, String resume, Console console, boolean quiet)
            throws IOException, InterruptedException {
        String id = LiveJob.newId();
        IngestCounts counts = IngestCounts.of(id);
        long begunNanos = System.nanoTime();
        try (ProgressLine progress = console.progress(quiet)) {
            job.prepareTopics().forEach(progress::say);
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
                progress.say("writing to " + plan.ingest().sink().text());
                watch(live.ended(), counts, progress);
            } finally {
                interrupt.disarm();
            }
        }
        return new IngestReport(
                plan.ingest().qualifiedName(),
                plan.ingest().transform() != null,
                counts.total(),
                IngestPlaces.written(
                        plan,
                        deploymentConfig,
                        job.checkpoints().outputName(),
                        LaneAccount.of(id).total(),
                        TopicAccount.of(id).sinceStart().after(resumed(counts))),
                (System.nanoTime() - begunNanos) / 1e9,
                deadLetters);
    }

    /** The rows of the checkpoint that the run has resumed from: what was sent before it was committed with it. */
    private static long resumed(IngestCounts counts) {
        return counts.total().get(Count.ROWS) - counts.sinceStart().get(Count.ROWS);
    }

    private void watch(CompletableFuture<?> ended, IngestCounts counts, ProgressLine progress)
            throws InterruptedException {
        IngestProgress rate = new IngestProgress(plan.ingest().qualifiedName(), counts, totalBytes, () -> "");
        while (true) {
            try {
                ended.get(LOOK_MS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                progress.show(rate::line);
            } catch (ExecutionException e) {
                throw Jobs.failure(e.getCause());
            }
        }
    }
}
