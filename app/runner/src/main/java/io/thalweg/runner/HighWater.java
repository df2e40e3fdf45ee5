package io.thalweg.runner;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.LongSupplier;

/**
 * The largest value that a count has shown. After a failure the account of events continues from the last checkpoint, below what
 * {@code /metrics} has shown, and reaches it again as the same events are read again. Prometheus treats a counter that decreases as
 * one that restarted at 0, so the series stays until the count catches up.
 *
 * <p><b>Threads.</b> Safe.
 */
final class HighWater implements LongSupplier {
    private final LongSupplier count;
    private final LongAccumulator shown = new LongAccumulator(Math::max, 0);

    HighWater(LongSupplier count) {
        this.count = count;
    }

    @Override
    public long getAsLong() {
        shown.accumulate(count.getAsLong());
        return shown.get();
    }
}
