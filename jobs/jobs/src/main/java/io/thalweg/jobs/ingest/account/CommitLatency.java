package io.thalweg.jobs.ingest.account;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;

/**
 * Measures how long the oldest record of each checkpoint waits for its commit.
 *
 * <p><b>Threads.</b> One.
 */
public final class CommitLatency {
    private static final long NONE = Long.MAX_VALUE;

    /** The timestamp of the oldest record of each incomplete checkpoint. */
    private final NavigableMap<Long, Long> open = new TreeMap<>();

    private long oldestMs = NONE;

    /** Records the timestamp of a record; negative = it has none. */
    public void read(long timeMs) {
        if (timeMs >= 0 && timeMs < oldestMs) {
            oldestMs = timeMs;
        }
    }

    /** Assigns the records read since the previous snapshot to a checkpoint. */
    public void snapshot(long checkpoint) {
        if (oldestMs != NONE) {
            open.put(checkpoint, oldestMs);
            oldestMs = NONE;
        }
    }

    /** Reports the latency of all checkpoints up to a complete one; the records of a failed checkpoint are committed with the next. */
    public void complete(long checkpoint, long nowMs, DoubleConsumer seconds) {
        Map<Long, Long> done = open.headMap(checkpoint, true);
        done.values().forEach(timeMs -> seconds.accept(Math.max(0, nowMs - timeMs) / 1e3));
        done.clear();
    }
}
