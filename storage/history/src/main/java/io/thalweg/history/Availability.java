package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;

/**
 * What was readable at a time. A row counts from when the store had the last rows of its shard and window end. The progress of the shard
 * follows them, and the view's watermark is the minimum over the progress of its shards. A load of a table makes progress once, to the time
 * at which it listed the table, and its rows count from then on.
 *
 * <p><b>Threads.</b> Safe.
 */
public interface Availability {
    /** Returns the view's watermark at a time, epoch ms; {@link ReadOutcome#NONE} before the log begins. */
    long watermarkMs(long timeMs);

    /**
     * Returns the last window end of which the rows of a shard were readable at a time, epoch ms; at least the watermark.
     *
     * @param timeMs a time that has a watermark
     */
    long newestEndMs(int shard, long timeMs);

    /**
     * Returns the progress that makes a row readable, as {@link #newestEndMs} reports it, epoch ms.
     *
     * @param windowEndMs of the row, epoch ms
     * @param progressMs that came with the row: its window end, or the time of its load
     */
    long neededMs(long windowEndMs, long progressMs);

    /** Returns when the view's watermark reached a window end, epoch ms; {@code Long.MAX_VALUE} if it never did. */
    long reachedAtMs(long endMs);
}
