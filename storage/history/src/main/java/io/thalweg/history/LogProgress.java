package io.thalweg.history;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;

/**
 * Collects progress as records of a feature log.
 *
 * <p><b>Threads.</b> One.
 */
public final class LogProgress {
    /** Stands for rows that were computed after the fact, and were not readable at any known time. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    private final ColumnWriter records = new ColumnWriter(LogLayout.PROGRESS);

    /**
     * Adds the progress of a shard. Times are epoch ms, or {@link #UNKNOWN}.
     *
     * @param windowEndMs epoch ms
     * @param rowsAtMs since when its rows were readable
     * @param readableAtMs since when its progress was readable
     */
    public void add(int shard, long windowEndMs, long rowsAtMs, long readableAtMs) {
        records.begin();
        records.int64(0, Math.multiplyExact(windowEndMs, 1_000));
        records.int64(1, shard);
        time(2, rowsAtMs);
        time(3, readableAtMs);
        records.end();
    }

    private void time(int column, long epochMs) {
        if (epochMs == UNKNOWN) {
            records.absent(column);
        } else {
            records.int64(column, Math.multiplyExact(epochMs, 1_000));
        }
    }

    /** The number of records collected. */
    public int size() {
        return records.rows();
    }

    /** Returns the records collected and starts an empty collection. */
    public ColumnBatch take() {
        return records.take();
    }
}
