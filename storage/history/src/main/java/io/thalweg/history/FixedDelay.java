package io.thalweg.history;

import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.row.ReadOutcome;

/**
 * Counts a row as readable a fixed time after its window end, for logs whose rows were computed later.
 *
 * @param firstEndMs the first window end of the log, epoch ms
 * @param lastEndMs the last window end of the log, epoch ms
 */
record FixedDelay(PaneClock clock, long delayMs, long firstEndMs, long lastEndMs) implements Availability {
    @Override
    public long watermarkMs(long timeMs) {
        long end = Math.min(lastEndMs, clock.lastEndMs(timeMs - delayMs));
        return end < firstEndMs ? ReadOutcome.NONE : end;
    }

    @Override
    public long newestEndMs(int shard, long timeMs) {
        return watermarkMs(timeMs);
    }

    @Override
    public long neededMs(long windowEndMs, long progressMs) {
        return windowEndMs;
    }

    @Override
    public long reachedAtMs(long endMs) {
        return endMs + delayMs;
    }
}
