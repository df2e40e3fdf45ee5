package io.thalweg.jobs.compute;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.live.LiveReads;
import io.thalweg.model.view.FeatureView;
import java.util.List;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * Counts keys that are read while their windows fill, and the time that a subtask spends on it, in the process's {@link JobMetrics} and
 * with Flink. See {@code docs/reference/metrics.md} for the names.
 */
final class MeteredReads implements LiveReads {
    private final LiveReads reads;
    private final JobMetrics.View process;
    private final Counter keys;
    private final Counter nanos;

    MeteredReads(LiveReads reads, String jobId, FeatureView view, MetricGroup subtask) {
        this.reads = reads;
        process = JobMetrics.of(jobId).view(view.qualifiedName());
        MetricGroup group = ViewMetrics.group(view, subtask);
        keys = group.counter("live_keys");
        nanos = group.counter("live_read_nanos");
    }

    @Override
    public Reading prepare(List<LiveKey> asked) {
        Reading reading = reads.prepare(asked);
        return new Reading() {
            @Override
            public void read() throws Exception {
                long begin = System.nanoTime();
                reading.read();
                count(asked.size(), System.nanoTime() - begin);
            }

            @Override
            public List<LiveRow> rows() {
                return reading.rows();
            }
        };
    }

    private void count(int moreKeys, long moreNanos) {
        process.liveRead(moreKeys, moreNanos);
        keys.inc(moreKeys);
        nanos.inc(moreNanos);
    }
}
