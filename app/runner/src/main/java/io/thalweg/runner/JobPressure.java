package io.thalweg.runner;

import io.thalweg.live.inspect.JobInspection;
import io.thalweg.live.inspect.JobSpan;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.RecentJobs;
import io.thalweg.live.inspect.RecentJobs.Recent;
import io.thalweg.server.telemetry.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The busy and the back-pressured share of a job of this process during the last ten seconds, as Flink's REST interface reports them.
 *
 * <p><b>Threads.</b> One thread requests samples, a thread of its own takes them, and any may read. Callers do not wait for Flink.
 */
final class JobPressure {
    private static final Logger LOG = LoggerFactory.getLogger(JobPressure.class);
    private static final Duration SPAN = Duration.ofSeconds(10);
    /** Often enough that {@link RecentJobs} does not find Flink's metrics stale. */
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final RecentJobs recent;
    private final LongSupplier nanoTime;
    private final AtomicBoolean sampling = new AtomicBoolean();
    private long sampledNanos;
    private volatile @Nullable JobSpan lastSpan;

    /**
     * Creates a meter that has not taken a sample yet.
     *
     * @param inspection of the job
     * @param nanoTime {@link System#nanoTime}
     */
    JobPressure(JobInspection inspection, LongSupplier nanoTime) {
        this.recent = new RecentJobs(inspection, SPAN, nanoTime);
        this.nanoTime = nanoTime;
        this.sampledNanos = nanoTime.getAsLong() - EVERY_NANOS;
    }

    /** Samples the job in the background if the last sample is complete and old enough. */
    void sampleSometimes() {
        long now = nanoTime.getAsLong();
        if (now - sampledNanos < EVERY_NANOS || !sampling.compareAndSet(false, true)) {
            return;
        }
        sampledNanos = now;
        Thread thread = new Thread(
                () -> {
                    try {
                        sample();
                    } finally {
                        sampling.set(false);
                    }
                },
                "job-pressure");
        thread.setDaemon(true);
        thread.start();
    }

    /** Samples the job now. */
    void sample() {
        JobSpan span = null;
        try {
            span = recent.look().stream()
                    .findFirst()
                    .flatMap(Recent::sinceRestart)
                    .orElse(null);
        } catch (IOException | RuntimeException e) {
            LOG.debug("no sample of the job", e); // it is not running, or not yet
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lastSpan = span;
    }

    void register(Metrics metrics) {
        metrics.gauge(
                "thalweg_job_busy_ratio",
                "Share of ten seconds in which the busiest subtask of the job of this process computed, or waited for a store or a service.",
                Metrics.labels(),
                () -> max(StageLoad::busiest));
        metrics.gauge(
                "thalweg_job_back_pressured_ratio",
                "Share of ten seconds in which a subtask of the job of this process waited for later ones, of the one that waited the longest.",
                Metrics.labels(),
                () -> max(StageLoad::backPressured));
    }

    private double max(ToDoubleFunction<StageLoad> share) {
        JobSpan span = lastSpan;
        return span == null
                ? Double.NaN
                : span.stages().stream().mapToDouble(share).max().orElse(Double.NaN);
    }
}
