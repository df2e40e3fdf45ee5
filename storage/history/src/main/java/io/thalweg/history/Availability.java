package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;

/**
 * What was readable at a time. A row counts from when the store had the last rows of its shard and window end. The progress of the shard
 * follows them, and the view's watermark is the minimum over the progress of its shards. Rows of a table count from when their load was
 * complete.
 *
 * <p><b>Threads.</b> Safe.
 */
public interface Availability {
    /** Returns the view's watermark at a time, epoch ms; {@link ReadOutcome#NONE} before the log begins. */
    long watermarkMs(long timeMs);

    /**
     * Returns the last window end of which the rows of a shard were readable at a time, epoch ms; at least the watermark. For logged loads
     * of a table, the time itself.
     *
     * @param timeMs a time that has a watermark
     */
    long newestEndMs(int shard, long timeMs);

    /**
     * Returns the least {@link #newestEndMs} at which a row counts.
     *
     * @param windowEndMs of the row, epoch ms
     * @param progressMs that came with the row: its window end, or the time of its load
     */
    long neededMs(long windowEndMs, long progressMs);

    /** Returns the order of the rows of a table with the same key and time, of which the least counts. */
    default long precedence(long progressMs) {
        return progressMs;
    }

    /** Returns when the view's watermark reached a window end, epoch ms; {@code Long.MAX_VALUE} if it never did. */
    long reachedAtMs(long endMs);
}
