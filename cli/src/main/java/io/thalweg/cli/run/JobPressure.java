package io.thalweg.cli.run;

import io.thalweg.live.inspect.JobInspection;
import io.thalweg.live.inspect.JobSpan;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobState;
import io.thalweg.server.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The busy and the back-pressured share of a job of this process, sampled from Flink's REST interface every ten seconds.
 *
 * <p><b>Threads.</b> One asks for samples, a thread of its own takes them, any may read: who watches a job does not wait for Flink.
 */
final class JobPressure {
    private static final Logger LOG = LoggerFactory.getLogger(JobPressure.class);
    private static final long EVERY_NANOS = Duration.ofSeconds(10).toNanos();

    private final AtomicBoolean sampling = new AtomicBoolean();
    private long sampledNanos = System.nanoTime() - EVERY_NANOS;
    private @Nullable JobState before;
    private volatile @Nullable JobSpan lastSpan;

    /** Samples the job in the background if the last sample is old enough and taken. */
    void sampleSometimes(JobInspection inspection) {
        long now = System.nanoTime();
        if (now - sampledNanos < EVERY_NANOS || !sampling.compareAndSet(false, true)) {
            return;
        }
        sampledNanos = now;
        Thread thread = new Thread(
                () -> {
                    try {
                        sample(inspection);
                    } finally {
                        sampling.set(false);
                    }
                },
                "job-pressure");
        thread.setDaemon(true);
        thread.start();
    }

    /** Samples the job now. */
    void sample(JobInspection inspection) {
        JobState now = null;
        try {
            List<JobState> jobs = inspection.jobs();
            now = jobs.isEmpty() ? null : jobs.get(0);
            lastSpan = between(before, now);
        } catch (IOException | RuntimeException e) {
            LOG.debug("no sample of the job", e); // it is not up (yet)
            lastSpan = null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        before = now;
    }

    private static @Nullable JobSpan between(@Nullable JobState before, @Nullable JobState now) {
        if (before == null || now == null) {
            return null;
        }
        JobSpan span = new JobSpan(List.of(before, now));
        return span.restarts() == 0 && span.isMeasured() ? span : null;
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
