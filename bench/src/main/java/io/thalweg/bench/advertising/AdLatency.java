package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Figures;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.HdrHistogram.Histogram;

/**
 * The time from drawing the last event of a window until its last row is readable, by this process's clock.
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

    /** Records that a reader has drawn its last event of a window; the last of several calls counts. */
    void passed(long windowEndMs) {
        passedNanos.merge(windowEndMs, System.nanoTime(), Math::max);
    }

    /** Records that a row of a window is readable; the last of several calls counts. */
    void readable(long windowEndMs, long nanos) {
        readableNanos.merge(windowEndMs, nanos, Math::max);
    }

    /** Reports one latency for each window. */
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
