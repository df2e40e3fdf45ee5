package io.thalweg.runner;

import io.thalweg.jobs.CommitCounts;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.ingest.account.IngestCounts;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.sink.TopicAccount;
import io.thalweg.jobs.stream.StreamAccount;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of a topic or a subscription to a table, in this process, until Ctrl-C. It ends with a savepoint, from which the
 * next start resumes, and prints one line of counts on stderr.
 *
 * @param resume {@code latest}, {@code none} or a path
 * @param once whether to end when the source is done; see {@link LiveSource.Watch#isDone}
 * @param port the port of the console and metrics; null = none
 * @param deadLetters a file; null = the definition's topic
 */
public record IngestLive(
        IngestPlan plan,
        LiveSource source,
        DeploymentConfig deploymentConfig,
        int parallelism,
        String resume,
        boolean once,
        @Nullable Integer port,
        @Nullable Path deadLetters) {
    private static final long LOOK_MS = 200;

    /**
     * Runs until it is stopped.
     *
     * @throws UserError if the job fails, or the account does not balance
     */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        JobPlan job = source.job(plan, deadLetters);
        try (JobAccounts accounts = new JobAccounts(LiveJob.newId())) {
            run(job, accounts.jobId(), console, quiet);
        }
    }

    private void run(JobPlan job, String id, Console console, boolean quiet) throws IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        IngestCounts counts = IngestCounts.of(id);
        try (ProgressLine progress = console.progress(quiet)) {
            LiveJob.check(job, resume);
            if (deadLetters != null) {
                WritableTargets.requireFile("dead letters", deadLetters);
            }
            job.prepare().forEach(progress::say);
            JobWatch jobWatch = new JobWatch("ingest", InstantSource.system());
            try (LiveSource.Watch read = source.watch(job, id, resume, once);
                    @Nullable
                            JobPort open = JobPort.open(port, deploymentConfig.server(), jobWatch, metrics -> {
                                jobWatch.register(metrics);
                                read.register(metrics, plan.ingest().qualifiedName());
                                JobSeries.register(metrics, plan.ingest().qualifiedName(), counts);
                                if (plan.ingest().sink() instanceof Ingest.BigQuerySink) {
                                    JobSeries.register(metrics, plan.ingest().qualifiedName(), StreamAccount.of(id));
                                } else if (plan.ingest().sink() instanceof Ingest.TopicSink) {
                                    JobSeries.register(metrics, plan.ingest().qualifiedName(), TopicAccount.of(id));
                                } else {
                                    JobSeries.register(metrics, plan.ingest().qualifiedName(), CommitCounts.of(id));
                                }
                            })) {
                LiveJob live = LiveJob.start(id, job, parallelism, resume);
                Interrupt interrupt = Interrupt.with(() -> {
                    if (!live.stop(progress)) {
                        return 1;
                    }
                    say(console, read.summary());
                    return reported(console, id, begunNanos);
                });
                try {
                    if (open != null) {
                        progress.say(open.where());
                    }
                    progress.say(live.beginning());
                    progress.say("writing to " + plan.ingest().sink().text());
                    watch(
                            live,
                            counts.stuck(),
                            jobWatch,
                            new IngestProgress(plan.ingest().qualifiedName(), counts, 0, read::behind),
                            () -> once && read.isDone(),
                            progress);
                    live.stopWithSavepoint();
                    say(console, read.summary());
                } finally {
                    interrupt.disarm();
                }
            }
        }
        report(console, id, begunNanos).requireBalance();
    }

    private void say(Console console, String summary) {
        if (!summary.isEmpty()) {
            console.err().println(plan.ingest().qualifiedName() + ": " + summary);
        }
    }

    /** Waits until the ingest is done. */
    private static void watch(
            LiveJob live,
            CompletableFuture<?> stuck,
            JobWatch jobWatch,
            IngestProgress rate,
            BooleanSupplier done,
            ProgressLine progress)
            throws InterruptedException {
        CompletableFuture<?> ended = CompletableFuture.anyOf(live.ended(), stuck);
        while (!done.getAsBoolean()) {
            try {
                ended.get(LOOK_MS, TimeUnit.MILLISECONDS);
                throw UserError.failed(
                        "the job was ended from outside", "the same command goes on from the last checkpoint");
            } catch (TimeoutException e) {
                jobWatch.look(live.embedded(), progress);
                progress.show(rate::line);
            } catch (ExecutionException e) {
                throw Jobs.failure(e.getCause());
            }
        }
    }

    /** Reports on an interrupted run; returns the exit code. */
    private int reported(Console console, String id, long begunNanos) {
        try {
            report(console, id, begunNanos).requireBalance();
            return 0;
        } catch (IOException | UserError e) {
            console.err().println("thalweg: " + e.getMessage());
            return 1;
        } finally {
            console.err().flush();
        }
    }

    /** Counts what was written. For files, uses the counts of this process, because reading all files of a long run would take long. */
    private Written written(String id) throws IOException {
        Ingest.Sink sink = plan.ingest().sink();
        if (sink instanceof Ingest.BigQuerySink) {
            return Written.of(StreamAccount.of(id).sinceStart());
        }
        if (sink instanceof Ingest.TopicSink) {
            return Written.of(TopicAccount.of(id).sinceStart());
        }
        return sink instanceof Ingest.ParquetSink
                ? Written.of(CommitCounts.of(id).total())
                : IngestTargets.written(
                        plan, deploymentConfig, JobPlan.ingestRun(plan.ingest().qualifiedName(), id));
    }

    private IngestReport report(Console console, String id, long begunNanos) throws IOException {
        String ingest = plan.ingest().qualifiedName();
        IngestReport report = new IngestReport(
                ingest,
                plan.ingest().transform() != null,
                IngestCounts.of(id).sinceStart(),
                written(id),
                (System.nanoTime() - begunNanos) / 1e9,
                deadLetters == null ? "topic " + plan.ingest().deadLetters().topic() : deadLetters.toString());
        console.err().println(report.line());
        return report;
    }
}
