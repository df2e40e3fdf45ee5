package io.thalweg.runner;

import io.thalweg.jobs.embedded.EmbeddedJob;
import io.thalweg.jobs.embedded.EmbeddedJob.Failure;
import io.thalweg.live.inspect.FlinkInspection;
import io.thalweg.live.inspect.JobState;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.telemetry.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reports the restarts of a job of this process: a line for each, the series of {@code /metrics}, and the job's part of {@code
 * /readyz}.
 *
 * <p><b>Threads.</b> One thread polls the job; any may read the results.
 */
final class JobWatch implements JobProbe {
    /** The number of restarts within {@link #LOOP} that make a restart loop. */
    private static final int LOOP_RESTARTS = 3;

    private static final Duration LOOP = Duration.ofMinutes(5);

    private final String what;
    private final InstantSource clock;
    private final Supplier<String> late;
    private final Deque<Long> recentRestartsMs = new ArrayDeque<>();
    private long reportedUntilMs;
    private volatile EmbeddedJob.@Nullable Snapshot last;
    private final AtomicLong restarts = new AtomicLong();
    private volatile String trouble = "";
    private final JobPressure pressure = new JobPressure(this::jobs, System::nanoTime);
    private volatile @Nullable EmbeddedJob watched;

    /**
     * Creates a watch that has not seen a job yet.
     *
     * @param what the name of the job in lines, such as {@code run}
     */
    JobWatch(String what, InstantSource clock) {
        this(what, clock, () -> "");
    }

    /**
     * Creates a watch that has not seen a job yet.
     *
     * @param what the name of the job in lines, such as {@code run}
     * @param late describes what is wrong with the events of a job that runs; empty if nothing is. Any thread may call it
     */
    JobWatch(String what, InstantSource clock, Supplier<String> late) {
        this.what = what;
        this.clock = clock;
        this.late = late;
    }

    /** Polls the job, and prints a line for each failure since the last poll. */
    void look(EmbeddedJob job, ProgressLine progress) throws InterruptedException {
        watched = job;
        EmbeddedJob.Snapshot now = job.look();
        pressure.sampleSometimes();
        if (now == null) {
            return;
        }
        last = now;
        for (Failure failure : now.failures()) {
            if (failure.atMs() > reportedUntilMs && !now.status().isGloballyTerminalState()) {
                report(failure, progress);
            }
        }
        judge(now);
    }

    private void report(Failure failure, ProgressLine progress) {
        reportedUntilMs = failure.atMs();
        recentRestartsMs.add(failure.atMs());
        progress.warn(
                "restart %d of %s: %s".formatted(restarts.incrementAndGet(), what, Jobs.rootCause(failure.cause())));
    }

    private void judge(EmbeddedJob.Snapshot now) {
        long since = clock.millis() - LOOP.toMillis();
        while (!recentRestartsMs.isEmpty() && recentRestartsMs.peek() < since) {
            recentRestartsMs.remove();
        }
        String cause = now.failures().isEmpty()
                ? ""
                : ": "
                        + Jobs.rootCause(
                                now.failures().get(now.failures().size() - 1).cause());
        if (recentRestartsMs.size() >= LOOP_RESTARTS) {
            trouble = "%d restarts within %d minutes%s".formatted(recentRestartsMs.size(), LOOP.toMinutes(), cause);
        } else if (now.status() == JobStatus.RUNNING) {
            trouble = "";
        } else {
            trouble = "the job is " + state(now.status()) + cause;
        }
    }

    private static String state(JobStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Optional<String> trouble() {
        return Stream.of(trouble, late.get()).filter(each -> !each.isEmpty()).findFirst();
    }

    @Override
    public boolean isHere() {
        return true;
    }

    @Override
    public List<JobState> jobs() throws IOException, InterruptedException {
        EmbeddedJob job = watched;
        return job == null ? List.of() : new FlinkInspection(job.rest(), clock).jobs();
    }

    /** Adds the job's series. */
    void register(Metrics metrics) {
        metrics.counter(
                "thalweg_job_restarts_total", "Restarts of the job of this process.", Metrics.labels(), restarts::get);
        for (JobStatus status : JobStatus.values()) {
            metrics.gauge(
                    "thalweg_job_state",
                    "1 for the state that the job of this process is in.",
                    Metrics.labels("state", state(status)),
                    () -> {
                        EmbeddedJob.Snapshot now = last;
                        return now != null && now.status() == status ? 1 : 0;
                    });
        }
        metrics.gauge(
                "thalweg_job_uptime_seconds",
                "Time since the job of this process was started or restarted for the last time; 0 while it does not run.",
                Metrics.labels(),
                () -> {
                    EmbeddedJob.Snapshot now = last;
                    return now != null && now.status() == JobStatus.RUNNING
                            ? (clock.millis() - now.runningSinceMs()) / 1e3
                            : 0;
                });
        metrics.counter(
                "thalweg_job_checkpoints_completed_total",
                "Completed checkpoints of the job of this process.",
                Metrics.labels(),
                () -> checkpoints().completed());
        metrics.counter(
                "thalweg_job_checkpoints_failed_total",
                "Failed checkpoints of the job of this process.",
                Metrics.labels(),
                () -> checkpoints().failed());
        checkpoint(
                metrics,
                "age_seconds",
                "Time since the last checkpoint was completed.",
                snapshot -> (clock.millis() - snapshot.lastCompletedMs()) / 1e3);
        checkpoint(
                metrics,
                "duration_seconds",
                "Time that the last checkpoint took.",
                snapshot -> snapshot.lastDurationMs() / 1e3);
        checkpoint(metrics, "bytes", "Size of the last checkpoint.", EmbeddedJob.Checkpoints::lastBytes);
        pressure.register(metrics);
    }

    private EmbeddedJob.Checkpoints checkpoints() {
        EmbeddedJob.Snapshot now = last;
        return now == null ? EmbeddedJob.Checkpoints.NONE : now.checkpoints();
    }

    private void checkpoint(
            Metrics metrics,
            String name,
            String help,
            java.util.function.ToDoubleFunction<EmbeddedJob.Checkpoints> value) {
        metrics.gauge("thalweg_job_last_checkpoint_" + name, help, Metrics.labels(), () -> {
            EmbeddedJob.Checkpoints now = checkpoints();
            return now.lastCompletedMs() == 0 ? Double.NaN : value.applyAsDouble(now);
        });
    }
}
