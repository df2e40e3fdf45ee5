package io.thalweg.bench.publish;

import io.thalweg.jobs.load.LoadMetrics;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;

/** From the begin of a job's first write to the end of its last: starting Flink is left out. */
final class WriteSpan {
    private final AtomicLong first = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);

    /** {@code latencies}: takes what each write took, in ns. */
    WriteSpan(LoadMetrics.View metrics, ConcurrentHistogram latencies) {
        metrics.onLatency(seconds -> {
            long now = System.nanoTime();
            long took = (long) (seconds * 1e9);
            latencies.recordValue(took);
            first.accumulateAndGet(now - took, Math::min);
            last.accumulateAndGet(now, Math::max);
        });
    }

    long nanos() {
        return last.get() - first.get();
    }
}
