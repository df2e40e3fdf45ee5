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
        IngestPlaces.require(plan, deploymentConfig);
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
                progress.say("writing to " + plan.ingest().sink().text());
                watch(live.ended(), counts, progress);
            } finally {
                interrupt.disarm();
            }
        }
        IngestReport report = new IngestReport(
                plan.ingest().qualifiedName(),
                plan.ingest().transform() != null,
                counts.total(),
                written(job),
                (System.nanoTime() - begunNanos) / 1e9,
                deadLetters.toString());
        console.err().println(report.line());
        report.requireBalance();
        BadShare.require(
                report.totals().get(Count.BAD),
                report.totals().get(Count.EVENTS),
                maxBad,
                "the dead letters name the reasons: " + deadLetters);
        job.checkpoints().forgetAll();
    }

    private WrittenFiles written(JobPlan job) throws IOException {
        return IngestPlaces.written(plan, deploymentConfig, job.checkpoints().outputName());
    }

    private void watch(CompletableFuture<?> ended, IngestCounts counts, ProgressLine progress)
            throws InterruptedException {
        IngestProgress rate = new IngestProgress(plan.ingest().qualifiedName(), counts, input.bytes(), () -> -1);
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
