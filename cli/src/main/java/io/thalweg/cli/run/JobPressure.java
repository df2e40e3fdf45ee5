package io.thalweg.cli.run;

import io.thalweg.live.inspect.JobInspection;
import io.thalweg.live.inspect.JobSpan;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobState;
import io.thalweg.server.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How busy a job of this process is, and how much its stages wait for later ones: asked of Flink every ten seconds.
 *
 * <p><b>Threads.</b> One looks, any may ask.
 */
final class JobPressure {
    private static final Duration EVERY = Duration.ofSeconds(10);

    private long nextMs = Long.MIN_VALUE;
    private @Nullable JobState before;
    private volatile @Nullable JobSpan span;

    /**
     * Looks at the job if the last look is long enough ago.
     *
     * @param nowMs epoch ms
     */
    void look(JobInspection inspection, long nowMs) throws InterruptedException {
        if (nowMs < nextMs) {
            return;
        }
        nextMs = nowMs + EVERY.toMillis();
        JobState now = null;
        try {
            List<JobState> jobs = inspection.jobs();
            now = jobs.isEmpty() ? null : jobs.get(0);
        } catch (IOException e) {
            // It is not up (yet): nothing is known.
        }
        span = between(before, now);
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
                () -> most(StageLoad::busiest));
        metrics.gauge(
                "thalweg_job_back_pressured_ratio",
                "Share of ten seconds in which a subtask of the job of this process waited for later ones, of the one that waited the longest.",
                Metrics.labels(),
                () -> most(StageLoad::backPressured));
    }

    private double most(ToDoubleFunction<StageLoad> share) {
        JobSpan known = span;
        return known == null
                ? Double.NaN
                : known.stages().stream().mapToDouble(share).max().orElse(Double.NaN);
    }
}
