package io.thalweg.jobs.load;

import io.thalweg.jobs.ViewMetrics;
import io.thalweg.model.deployment.DeploymentConfig.Load;
import io.thalweg.model.view.FeatureView;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * The counts of one subtask for a view, in the process's {@link LoadMetrics} and with Flink. See {@code docs/reference/metrics.md} for the
 * names.
 *
 * <p><b>Threads.</b> Thread-safe.
 */
final class ViewLoadMetrics {
    private static final int REMEMBERED = 1_000;

    private final LoadMetrics.View process;
    private final LoadMetrics.View own;
    private final Counter rows;
    private final Counter writes;
    private final Counter writeNanos;
    private final Counter retries;
    private final Histogram batchRows;
    private final Histogram freshnessMs;
    private final Map<DeadLetterReason, Counter> letters = new EnumMap<>(DeadLetterReason.class);

    /**
     * Creates counts of zero.
     *
     * @param limits reported together with the counts
     * @param subtask Flink's metric group of the writer
     */
    ViewLoadMetrics(String jobId, FeatureView view, Load limits, MetricGroup subtask) {
        process = LoadMetrics.of(jobId).view(view.qualifiedName());
        own = new LoadMetrics.View();
        MetricGroup group = ViewMetrics.group(view, subtask);
        rows = group.counter("loaded_rows", new ThreadSafeSimpleCounter());
        writes = group.counter("writes", new ThreadSafeSimpleCounter());
        writeNanos = group.counter("write_nanos", new ThreadSafeSimpleCounter());
        retries = group.counter("retries", new ThreadSafeSimpleCounter());
        batchRows = group.histogram("batch_rows", new DescriptiveStatisticsHistogram(REMEMBERED));
        freshnessMs = group.histogram("freshness_ms", new DescriptiveStatisticsHistogram(REMEMBERED));
        group.gauge("batch_rows_limit", (Gauge<Integer>) limits::batchRows);
        group.gauge("in_flight_limit", (Gauge<Integer>) limits::inFlight);
        long targetMs = limits.targetLatency().duration().toMillis();
        group.gauge("target_latency_ms", (Gauge<Long>) () -> targetMs);
        group.gauge("in_flight", (Gauge<Long>) own::inFlight);
        for (DeadLetterReason reason : DeadLetterReason.values()) {
            letters.put(
                    reason,
                    group.addGroup("reason", reason.text()).counter("dead_letters", new ThreadSafeSimpleCounter()));
        }
    }

    void began() {
        process.began();
        own.began();
    }

    void ended() {
        process.ended();
        own.ended();
    }

    void written(int count, double seconds) {
        process.written(count, seconds);
        rows.inc(count);
        writes.inc();
        writeNanos.inc((long) (seconds * 1e9));
        batchRows.update(count);
    }

    void retried(String why) {
        process.retried(why);
        retries.inc();
    }

    void failed(String why) {
        process.failed(why);
    }

    void letter(DeadLetterReason reason) {
        process.letter(reason);
        Objects.requireNonNull(letters.get(reason)).inc();
    }

    void readable(long windowEndMs, long nowMs) {
        process.readable(windowEndMs, (nowMs - windowEndMs) / 1e3);
        freshnessMs.update(nowMs - windowEndMs);
    }
}
