package io.thalweg.jobs.ingest;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;

/**
 * How long the oldest record of each checkpoint waited for its commit.
 *
 * <p><b>Threads.</b> One.
 */
final class CommitLatency {
    private static final long NONE = Long.MAX_VALUE;

    /** Timestamp of the oldest record by checkpoint, of those that are not complete. */
    private final NavigableMap<Long, Long> open = new TreeMap<>();

    private long oldestMs = NONE;

    /** Takes the timestamp of a record; below 0 = it has none. */
    void read(long timeMs) {
        if (timeMs >= 0 && timeMs < oldestMs) {
            oldestMs = timeMs;
        }
    }

    /** What was read since the snapshot before belongs to a checkpoint. */
    void snapshot(long checkpoint) {
        if (oldestMs != NONE) {
            open.put(checkpoint, oldestMs);
            oldestMs = NONE;
        }
    }

    /** Observes the checkpoints up to one that is complete; what belonged to one that failed is committed with the next one. */
    void complete(long checkpoint, long nowMs, DoubleConsumer seconds) {
        Map<Long, Long> done = open.headMap(checkpoint, true);
        done.values().forEach(timeMs -> seconds.accept(Math.max(0, nowMs - timeMs) / 1e3));
        done.clear();
    }
}
