package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.Shard;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * When window ends became readable, as a feature log recorded it.
 *
 * <p><b>Memory.</b> Some 4 kB for each window end.
 */
final class LoggedTimes implements Availability {
    private static final long NEVER = Long.MAX_VALUE;

    private final long[] endsMs;
    /** When each shard's rows were readable, by window end; nondecreasing per shard. */
    private final long[][] rowsMs;
    /** When the progress of all shards was readable, by window end. */
    private final long[] allMs;

    private LoggedTimes(long[] endsMs, long[][] rowsMs, long[][] progressMs) {
        this.endsMs = endsMs;
        this.rowsMs = rowsMs;
        allMs = Arrays.stream(progressMs)
                .mapToLong(shards -> Arrays.stream(shards).max().orElse(NEVER))
                .toArray();
    }

    /**
     * Collects progress records in any order. Of repeated records the earliest counts: a run that resumes writes its last window ends
     * once more, but they were readable before.
     */
    static final class Builder {
        private final TreeMap<Long, long[]> rows = new TreeMap<>();
        private final TreeMap<Long, long[]> progress = new TreeMap<>();
        private final long fromMs;

        /**
         * @param fromMs of earlier window ends only the last is kept, epoch ms
         */
        Builder(long fromMs) {
            this.fromMs = fromMs;
        }

        void add(int shard, long endMs, long rowsAtMs, long readableAtMs) {
            if (endMs < fromMs) {
                Long kept = progress.lowerKey(fromMs);
                if (kept != null && kept > endMs) {
                    return;
                }
                if (kept != null && kept < endMs) {
                    progress.remove(kept);
                    rows.remove(kept);
                }
            }
            earliest(rows, shard, endMs, rowsAtMs);
            earliest(progress, shard, endMs, readableAtMs);
        }

        private static void earliest(Map<Long, long[]> times, int shard, long endMs, long atMs) {
            long[] shards = times.computeIfAbsent(endMs, end -> never());
            shards[shard] = Math.min(shards[shard], atMs);
        }

        private static long[] never() {
            long[] shards = new long[Shard.COUNT];
            Arrays.fill(shards, NEVER);
            return shards;
        }

        boolean isEmpty() {
            return progress.isEmpty();
        }

        LoggedTimes build() {
            return new LoggedTimes(
                    progress.keySet().stream().mapToLong(Long::longValue).toArray(), covered(rows), covered(progress));
        }

        /** A record covers all earlier window ends of its shard, of which there may be none. */
        private static long[][] covered(NavigableMap<Long, long[]> times) {
            long[] least = never();
            for (long[] shards : times.descendingMap().values()) {
                for (int shard = 0; shard < shards.length; shard++) {
                    least[shard] = Math.min(least[shard], shards[shard]);
                    shards[shard] = least[shard];
                }
            }
            return times.values().toArray(long[][]::new);
        }
    }

    /** Returns the index of the last window end that all shards had reached; -1 if there is none. */
    private int reached(long timeMs) {
        int low = 0;
        int high = allMs.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (allMs[middle] <= timeMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    @Override
    public long watermarkMs(long timeMs) {
        int index = reached(timeMs);
        return index < 0 ? ReadOutcome.NONE : endsMs[index];
    }

    @Override
    public long newestEndMs(int shard, long timeMs) {
        int index = reached(timeMs);
        while (index + 1 < endsMs.length && rowsMs[index + 1][shard] <= timeMs) {
            index++;
        }
        return endsMs[index];
    }

    @Override
    public long neededMs(long windowEndMs, long progressMs) {
        return windowEndMs;
    }

    @Override
    public long reachedAtMs(long endMs) {
        int found = Arrays.binarySearch(endsMs, endMs);
        int index = found >= 0 ? found : -found - 1;
        return index == endsMs.length ? NEVER : allMs[index];
    }
}
