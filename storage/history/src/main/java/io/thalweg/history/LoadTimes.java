package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * When loads of a table were complete, as its feature log recorded it. A row counts from when its own load was complete, whatever other
 * loads there were meanwhile.
 */
final class LoadTimes implements Availability {
    private static final long NEVER = Long.MAX_VALUE;

    /** By the time at which a load listed the table: when it was complete. */
    private final Map<Long, Long> completeMs;
    /** When loads were complete, ascending. */
    private final long[] timesMs;
    /** By position in {@code timesMs}: the latest listing among the loads that were complete. */
    private final long[] watermarksMs;

    /**
     * @param completeMs by the time at which a load listed the table, when it was complete; epoch ms
     */
    LoadTimes(Map<Long, Long> completeMs) {
        this.completeMs = Map.copyOf(completeMs);
        List<Map.Entry<Long, Long>> loads = completeMs.entrySet().stream()
                .sorted(Comparator.comparingLong(Map.Entry::getValue))
                .toList();
        timesMs = loads.stream().mapToLong(Map.Entry::getValue).toArray();
        watermarksMs = loads.stream().mapToLong(Map.Entry::getKey).toArray();
        Arrays.parallelPrefix(watermarksMs, Math::max);
    }

    @Override
    public long watermarkMs(long timeMs) {
        int low = 0;
        int high = timesMs.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timesMs[middle] <= timeMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? ReadOutcome.NONE : watermarksMs[low - 1];
    }

    @Override
    public long newestEndMs(int shard, long timeMs) {
        return timeMs;
    }

    @Override
    public long neededMs(long windowEndMs, long progressMs) {
        return completeMs.getOrDefault(progressMs, NEVER);
    }

    @Override
    public long precedence(long progressMs) {
        return completeMs.getOrDefault(progressMs, NEVER);
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
