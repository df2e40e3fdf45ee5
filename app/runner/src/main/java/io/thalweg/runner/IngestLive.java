package io.thalweg.runner;

import io.thalweg.jobs.CommitAccount;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.sink.TopicAccount;
import io.thalweg.jobs.stream.StreamAccount;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.server.telemetry.Metrics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
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
        IngestPlan ingest,
        LiveSource source,
        DeploymentConfig deploymentConfig,
        int parallelism,
        String resume,
        boolean once,
        @Nullable Integer port,
        @Nullable Path deadLetters) {
    /**
     * Runs until it is stopped.
     *
     * @throws UserError if the job fails, or the account does not balance
     */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        JobPlan plan = source.job(ingest, deadLetters);
        try (JobRun run = new JobRun(plan, parallelism, resume, console, quiet)) {
            run.check();
            if (deadLetters != null) {
                WritableTargets.requireFile("dead letters", deadLetters);
            }
            run.prepare();
            Stream stream = new Stream(run, plan, console);
            run.run(stream);
            stream.summarize();
            run.closeParts();
            stream.report().requireBalance();
        }
    }

    private String name() {
        return ingest.ingest().qualifiedName();
    }

    /** The job, with what is open for it in this process. */
    final class Stream implements JobRun.Kind {
        private final Console console;
        private final String id;
        private final ProgressLine progress;
        private final long begunNanos = System.nanoTime();
        private final IngestJobAccount counts;
        private final JobWatch jobWatch = new JobWatch("ingest", InstantSource.system());
        private final LiveSource.Watch read;
        private final @Nullable JobPort listening;
        private final IngestProgress rate;

        Stream(JobRun run, JobPlan plan, Console console) {
            this.console = console;
            id = run.id();
            progress = run.progress();
            counts = IngestJobAccount.of(id);
            read = run.open(source.watch(plan, id, resume, once));
            listening = JobPort.open(port, deploymentConfig.server(), jobWatch, this::register);
            if (listening != null) {
                run.open(listening);
            }
            rate = new IngestProgress(name(), counts, 0, read::behind);
        }

        private void register(Metrics metrics) {
            jobWatch.register(metrics);
            read.register(metrics, name());
            JobSeries.register(metrics, name(), counts);
            if (ingest.ingest().sink() instanceof Ingest.BigQuerySink) {
                JobSeries.register(metrics, name(), StreamAccount.of(id));
            } else if (ingest.ingest().sink() instanceof Ingest.TopicSink) {
                JobSeries.register(metrics, name(), TopicAccount.of(id));
            } else {
                JobSeries.register(metrics, name(), CommitAccount.of(id));
            }
        }

        @Override
        public void started(LiveJob job) {
            if (listening != null) {
                progress.say(listening.where());
            }
            progress.say(job.beginning());
            progress.say("writing to " + ingest.ingest().sink().text());
        }

        @Override
        public void look(LiveJob job) throws InterruptedException {
            jobWatch.look(job.embedded(), progress);
            progress.show(rate::line);
        }

        @Override
        public CompletableFuture<?> end(LiveJob job) {
            return CompletableFuture.anyOf(job.ended(), counts.stuck());
        }

        @Override
        public boolean isDone() {
            return once && read.isDone();
        }

        @Override
        public void ended() {
            throw UserError.failed(
                    "the job was ended from outside", "the same command goes on from the last checkpoint");
        }

        @Override
        public int stopped(boolean isWhole) {
            if (!isWhole) {
                return 1;
            }
            summarize();
            try {
                report().requireBalance();
                return 0;
            } catch (IOException | UserError e) {
                console.err().println("thalweg: " + e.getMessage());
                return 1;
            } finally {
                console.err().flush();
            }
        }

        void summarize() {
            String summary = read.summary();
            if (!summary.isEmpty()) {
                console.err().println(name() + ": " + summary);
            }
        }

        IngestReport report() throws IOException {
            IngestReport report = new IngestReport(
                    name(),
                    ingest.ingest().transform() != null,
                    counts.sinceStart(),
                    written(id),
                    (System.nanoTime() - begunNanos) / 1e9,
                    deadLetters == null
                            ? "topic " + ingest.ingest().deadLetters().topic()
                            : deadLetters.toString());
            console.err().println(report.line());
            return report;
        }
    }

    /** Counts what was written. For files, uses the counts of this process, because reading all files of a long run would take long. */
    private Written written(String id) throws IOException {
        Ingest.Sink sink = ingest.ingest().sink();
        if (sink instanceof Ingest.BigQuerySink) {
            return Written.of(StreamAccount.of(id).sinceStart());
        }
        if (sink instanceof Ingest.TopicSink) {
            return Written.of(TopicAccount.of(id).sinceStart());
        }
        return sink instanceof Ingest.ParquetSink
                ? Written.of(CommitAccount.of(id).total())
                : IngestTargets.written(ingest, deploymentConfig, JobPlan.runName(name(), id));
    }
}
