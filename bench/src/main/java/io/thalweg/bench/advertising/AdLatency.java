package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Figures;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.HdrHistogram.Histogram;

/**
 * From when the events of a window have all been drawn to when its last row can be read, by this process's clock.
 *
 * <p><b>Threads.</b> Safe.
 */
final class AdLatency {
    static final AdLatency OF_PROCESS = new AdLatency();

    private final ConcurrentMap<Long, Long> passedNanos = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, Long> readableNanos = new ConcurrentHashMap<>();

    void clear() {
        passedNanos.clear();
        readableNanos.clear();
    }

    /** A reader has drawn its last event of a window; of several, the last one counts. */
    void passed(long windowEndMs) {
        passedNanos.merge(windowEndMs, System.nanoTime(), Math::max);
    }

    /** A row of a window can be read; of several, the last one counts. */
    void readable(long windowEndMs, long nanos) {
        readableNanos.merge(windowEndMs, nanos, Math::max);
    }

    /** One latency for each window. */
    void putTo(Figures figures) {
        Histogram nanos = new Histogram(3);
        readableNanos.forEach((end, readable) -> {
            Long passed = passedNanos.get(end);
            if (passed != null) {
                nanos.recordValue(Math.max(0, readable - passed));
            }
        });
        figures.put("windows_readable", nanos.getTotalCount()).latencies("window_readable", nanos);
    }
}
