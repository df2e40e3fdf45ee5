package io.thalweg.runner;

import io.thalweg.jobs.load.DeadLetterReason;
import io.thalweg.jobs.load.LoadMetrics;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.table.Materialization;
import io.thalweg.store.OnlineStore;
import io.thalweg.tables.TableFiles;
import io.thalweg.tables.TablePart;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Loads a table into the store, from beginning to end, and prints one line of counts on stderr. An interrupted run resumes
 * at the next start if the table is unchanged.
 *
 * @param part of the table
 * @param rate rows per second; infinite = unlimited
 * @param resume {@code latest} or {@code none}
 * @param deadLetters a file
 * @param port the port of the console and metrics; null = none
 */
public record MaterializeRun(
        Materialization spec,
        DeploymentConfig deploymentConfig,
        TablePart part,
        int parallelism,
        double rate,
        String resume,
        Path deadLetters,
        @Nullable Integer port) {
    /** Runs until everything is written. */
    public void run(Console console, boolean quiet) throws IOException, InterruptedException {
        long beganMs = Clock.systemUTC().millis();
        TableFiles files = TableFiles.of(spec, part);
        reportEmpty(spec, files, console);
        JobPlan plan = JobPlan.materialize(spec, files, deploymentConfig, beganMs, rate, deadLetters);
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        long useless = 0;
        if (cluster != null) {
            if (port != null) {
                throw UserError.usage(
                        "--port does not go with a Flink cluster: the job counts there",
                        "leave it out; the console of thalweg serve shows the jobs of flink.rest");
            }
            if (files.snapshot() != null) {
                console.err().println(spec.view().qualifiedName() + ": snapshot=" + files.snapshot());
            }
            if (deploymentConfig.store() instanceof DeploymentConfig.RocksDb) {
                throw UserError.usage(
                        "store.type must be a store that machines share to be written from a Flink cluster, was rocksdb",
                        "such as store: {type: redis, uri: \"redis://localhost:6379\"}; or leave flink.rest out");
            }
            new ClusterRun(plan, cluster.rest(), parallelism, resume).run(console, quiet, false, false);
        } else {
            useless = embedded(plan, files, console, quiet);
        }
        if (spec.view().offline() != null) {
            long loadedMs = Long.parseLong(plan.checkpoints().outputName());
            FeatureLogs.loaded(
                    spec.view(), deploymentConfig, loadedMs, Clock.systemUTC().millis());
        }
        plan.checkpoints().forgetAll();
        if (useless > 0) {
            throw noneUsable(useless, deadLetters + " has them with their reasons");
        }
    }

    /** Names the files without rows, and says so if no file has any: that is a load without rows, not a failure. */
    static void reportEmpty(Materialization spec, TableFiles files, Console console) {
        String name = spec.view().qualifiedName();
        EmptyFiles.report(name, files.empty(), console);
        if (files.splits().isEmpty()) {
            console.err().println(name + ": no rows to load");
        }
    }

    /**
     * Creates the failure of a load whose rows are all bad: the definition is wrong rather than the rows.
     *
     * @param reasons where the reasons are
     */
    static UserError noneUsable(long rows, String reasons) {
        return UserError.failed(
                "none of the %d rows can be used".formatted(rows),
                reasons + "; correct the fields and types of the definition");
    }

    /** Returns the number of rows if the whole table was read and no row is usable; 0 otherwise. */
    private long embedded(JobPlan plan, TableFiles files, Console console, boolean quiet) throws InterruptedException {
        try (JobRun run = new JobRun(plan, parallelism, resume, console, quiet)) {
            run.prepare();
            Load load = new Load(run, files, console);
            run.run(load);
            run.progress().close();
            load.report();
            return load.useless();
        }
    }

    /** The job, with what is open for it in this process. */
    final class Load implements JobRun.Kind {
        private final TableFiles files;
        private final Console console;
        private final ProgressLine progress;
        private final LoadMetrics.View counts;
        private final JobWatch jobWatch = new JobWatch("materialize", InstantSource.system());
        private final OnlineStore store;
        private final @Nullable JobPort listening;
        private final long begunNanos = System.nanoTime();
        private final RateLimit pace;
        private @Nullable String reported;
        private boolean isResumed;

        Load(JobRun run, TableFiles files, Console console) {
            this.files = files;
            this.console = console;
            progress = run.progress();
            LoadMetrics metricsOfJob = LoadMetrics.of(run.id());
            counts = metricsOfJob.view(spec.view().qualifiedName());
            pace = new RateLimit(files.bytes(), begunNanos);
            // Opens the store here first, so that a failure is reported before the job starts.
            store = run.open(ConfiguredStore.open(deploymentConfig.store(), List.of(spec.view()), Clock.systemUTC()));
            listening = JobPort.open(port, deploymentConfig.server(), jobWatch, metrics -> {
                jobWatch.register(metrics);
                JobSeries.register(metrics, List.of(spec.view()), metricsOfJob);
                JobSeries.register(metrics, spec.view().qualifiedName(), counts, files.bytes());
            });
            if (listening != null) {
                run.open(listening);
            }
        }

        @Override
        public void started(LiveJob job) {
            isResumed = job.isResumed();
            if (listening != null) {
                progress.say(listening.where());
            }
            progress.say(job.beginning());
            progress.say("writing to " + ConfiguredStore.name(deploymentConfig.store()));
        }

        @Override
        public void look(LiveJob job) throws InterruptedException {
            jobWatch.look(job.embedded(), progress);
            progress.show(() -> spec.view().qualifiedName() + ": " + pace.line(counts));
            reported = MaterializeRun.report(counts.trouble(), reported, progress);
        }

        @Override
        public int stopped(boolean isWhole) {
            report();
            return UserError.INTERRUPTED;
        }

        void report() {
            MaterializeRun.this.report(counts, files.snapshot(), store, begunNanos, console);
        }

        /** Requires that the counts add up; returns the number of rows if the whole table was read and none is usable. */
        long useless() {
            requireAll(counts);
            return !isResumed && counts.rows() == 0 ? counts.read() : 0;
        }
    }

    /** Reports a problem that blocks writes once, and its end once; returns the current problem. */
    private static @Nullable String report(@Nullable String trouble, @Nullable String reported, ProgressLine progress) {
        if (trouble != null && !trouble.equals(reported)) {
            progress.say("waiting, nothing is lost: " + trouble);
        } else if (trouble == null && reported != null) {
            progress.say("goes on");
        }
        return trouble;
    }

    private static long bad(LoadMetrics.View counts) {
        return Arrays.stream(DeadLetterReason.values())
                .mapToLong(counts::deadLetters)
                .sum();
    }

    private void report(
            LoadMetrics.View counts, @Nullable Long snapshot, OnlineStore store, long begunNanos, Console console) {
        double seconds = (System.nanoTime() - begunNanos) / 1e9;
        long bad = bad(counts);
        console.err()
                .println(String.format(
                        Locale.ROOT,
                        "%s: rows=%d written=%d expired=%d bad=%d retries=%d seconds=%.1f rows_per_second=%.0f%s%s",
                        spec.view().qualifiedName(),
                        counts.read(),
                        counts.rows() - store.expiredRows(),
                        store.expiredRows(),
                        bad,
                        counts.retries(),
                        seconds,
                        counts.read() / seconds,
                        snapshot == null ? "" : " snapshot=" + snapshot,
                        bad == 0 ? "" : " dead_letters=" + deadLetters));
    }

    /** Requires that the counts add up. After a failure within the job they may not, because rows are read again. */
    private void requireAll(LoadMetrics.View counts) {
        boolean straight = counts.readersBegun() == parallelism;
        if (straight && counts.read() != counts.rows() + bad(counts)) {
            throw UserError.failed(
                    "%d rows were read, but %d written and %d found bad"
                            .formatted(counts.read(), counts.rows(), bad(counts)),
                    "this is a defect; load again with --resume none");
        }
    }

    /** Measures the speed of the load and estimates the remaining time. */
    private static final class RateLimit {
        private final long total;
        private final long begunNanos;
        private long firstLeft = -1;
        private long nanos;
        private long rows;

        RateLimit(long total, long begunNanos) {
            this.total = total;
            this.begunNanos = begunNanos;
            this.nanos = begunNanos;
        }

        String line(LoadMetrics.View counts) {
            long now = System.nanoTime();
            double perSecond = (counts.read() - rows) / Math.max(1e-3, (now - nanos) / 1e9);
            nanos = now;
            rows = counts.read();
            String line = "%,d rows, %,.0f a second".formatted(rows, perSecond);
            long bad = bad(counts);
            return share(counts, now) + (bad == 0 ? line : line + ", %,d bad".formatted(bad));
        }

        private String share(LoadMetrics.View counts, long now) {
            if (counts.bytesLeft().isEmpty() || total == 0) {
                return "";
            }
            long left = counts.bytesLeft().getAsLong();
            firstLeft = firstLeft < 0 ? left : firstLeft;
            double done = Math.max(0, firstLeft - left);
            String percent = "%3d %%  ".formatted(Math.round(100.0 * Math.max(0, total - left) / total));
            double seconds = (now - begunNanos) / 1e9;
            return done == 0 ? percent : percent + "%,.0f s left, ".formatted(left / done * seconds);
        }
    }
}
