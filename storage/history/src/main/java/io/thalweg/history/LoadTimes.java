package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;
import java.util.Map;
import java.util.TreeMap;

/**
 * When loads of a table were complete, as its feature log recorded it. A row counts from when its own load was complete, whatever other
 * loads there were meanwhile.
 */
final class LoadTimes implements Availability {
    private static final long NEVER = Long.MAX_VALUE;

    /** By the time at which a load listed the table: when it was complete. */
    private final Map<Long, Long> completeMs;
    /** By the time at which a load was complete: the latest listing among the loads that were complete then. */
    private final TreeMap<Long, Long> watermarksMs = new TreeMap<>();

    /**
     * @param completeMs by the time at which a load listed the table, when it was complete; epoch ms
     */
    LoadTimes(Map<Long, Long> completeMs) {
        this.completeMs = Map.copyOf(completeMs);
        completeMs.forEach((listed, complete) -> watermarksMs.merge(complete, listed, Math::max));
        long latest = ReadOutcome.NONE;
        for (Map.Entry<Long, Long> load : watermarksMs.entrySet()) {
            latest = Math.max(latest, load.getValue());
            load.setValue(latest);
        }
    }

    @Override
    public long watermarkMs(long timeMs) {
        Map.Entry<Long, Long> last = watermarksMs.floorEntry(timeMs);
        return last == null ? ReadOutcome.NONE : last.getValue();
    }

    @Override
    public long newestEndMs(int shard, long timeMs) {
        return timeMs;
    }

    @Override
    public long neededMs(long windowEndMs, long progressMs) {
        return complete(progressMs);
    }

    @Override
    public long precedence(long progressMs) {
        return complete(progressMs);
    }

    private long complete(long listedMs) {
        return completeMs.getOrDefault(listedMs, NEVER);
    }

    @Override
    public long reachedAtMs(long endMs) {
        return completeMs.entrySet().stream()
                .filter(load -> load.getKey() >= endMs)
                .mapToLong(Map.Entry::getValue)
                .min()
                .orElse(NEVER);
    }
}
