package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.sink.TopicAccount;
import io.thalweg.jobs.stream.StreamAccount;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A job that writes events to a table and ends. An interrupted job resumes at the next start.
 *
 * @param totalBytes bytes of all input; 0 = unknown
 * @param deadLetters where dead letters are, for people
 */
public record BoundedIngest(
        IngestPlan plan, DeploymentConfig deploymentConfig, JobPlan job, long totalBytes, String deadLetters) {
    /**
     * Runs until everything is written. If an earlier run wrote everything but was killed before it ended, only reports it.
     *
     * @param resume {@code latest} or {@code none}
     * @throws UserError if the job fails
     */
    IngestReport run(int parallelism, String resume, Console console, boolean quiet)
            throws IOException, InterruptedException {
        IngestEnd before = resume.equals("none") ? null : IngestEnd.of(job);
        if (before != null) {
            console.err()
                    .println("%s: all of this is written already; --resume none writes it again".formatted(name()));
            return report(before, before.written() == null ? writtenBefore() : before.written());
        }
        try (JobRun run = new JobRun(job, parallelism, resume, console, quiet)) {
            long begunNanos = System.nanoTime();
            execute(run, console);
            run.closeParts();
            StatePath file = job.checkpoints().end(run.id());
            Written written = written(run.id());
            IngestEnd reported = IngestEnd.read(file).reported(written, seconds(begunNanos));
            reported.write(file);
            job.checkpoints().forgetAllBut(run.id());
            return report(reported, written);
        }
    }

    private String name() {
        return plan.ingest().qualifiedName();
    }

    private static double seconds(long begunNanos) {
        return (System.nanoTime() - begunNanos) / 1e9;
    }

    /** Runs the job until it has committed everything, but does not report it. The record of its end stays beside its checkpoints. */
    public void runJob(int parallelism, String resume, Console console, boolean quiet) throws InterruptedException {
        try (JobRun run = new JobRun(job, parallelism, resume, console, quiet)) {
            execute(run, console);
        }
    }

    private void execute(JobRun run, Console console) throws InterruptedException {
        long begunNanos = System.nanoTime();
        IngestJobAccount.of(run.id()).onEnd(checkpoint -> record(checkpoint, run.id(), seconds(begunNanos)));
        run.prepare();
        run.run(new Batch(run, console));
    }

    /** The job while it runs. */
    final class Batch implements JobRun.Kind {
        private final Console console;
        private final ProgressLine progress;
        private final IngestJobAccount counts;
        private final IngestProgress rate;

        Batch(JobRun run, Console console) {
            this.console = console;
            progress = run.progress();
            counts = IngestJobAccount.of(run.id());
            rate = new IngestProgress(name(), counts, totalBytes, () -> "");
        }

        @Override
        public void started(LiveJob live) {
            progress.say(live.beginning());
            progress.say("writing to " + plan.ingest().sink().text());
        }

        @Override
        public void look(LiveJob live) {
            progress.show(rate::line);
        }

        @Override
        public CompletableFuture<?> end(LiveJob live) {
            return CompletableFuture.anyOf(live.ended(), counts.stuck());
        }

        @Override
        public int stopped(boolean isWhole) {
            console.err().println(name() + ": interrupted; the same command goes on from here");
            console.err().flush();
            return UserError.INTERRUPTED;
        }
    }

    private void record(long checkpoint, String id, double seconds) {
        try {
            new IngestEnd(checkpoint, IngestJobAccount.of(id).total(), acknowledged(id), seconds)
                    .write(job.checkpoints().end(id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the counts that cannot be taken later: rows that a warehouse has acknowledged, or that a topic is about to commit.
     * Null for files.
     */
    private @Nullable Written acknowledged(String id) {
        if (plan.ingest().sink() instanceof Ingest.BigQuerySink) {
            return Written.of(StreamAccount.of(id).total());
        }
        return plan.ingest().sink() instanceof Ingest.TopicSink
                ? Written.of(TopicAccount.of(id).totalWithOpen())
                : null;
    }

    private IngestReport report(IngestEnd end, Written written) {
        return new IngestReport(
                name(), plan.ingest().transform() != null, end.totals(), written, end.seconds(), deadLetters);
    }

    /** Counts what a job of this process has written. */
    private Written written(String id) throws IOException {
        return IngestTargets.written(
                plan,
                deploymentConfig,
                job.checkpoints().outputName(),
                StreamAccount.of(id).total(),
                TopicAccount.of(id).total());
    }

    /** Counts what a run has written to files or a table if it was killed before it could count. */
    private Written writtenBefore() throws IOException {
        return IngestTargets.written(plan, deploymentConfig, job.checkpoints().outputName());
    }
}
