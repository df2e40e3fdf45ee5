package io.thalweg.history;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableAppender;
import java.io.IOException;

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

    /**
     * Appends the progress of a load in one commit; one record stands for all shards.
     *
     * @param rows the table of the log's rows
     * @param loadedMs when the load listed its table, epoch ms
     * @param readableMs when all of its rows were readable, epoch ms
     */
    public static void append(TableAddress rows, long loadedMs, long readableMs) throws IOException {
        LogProgress records = new LogProgress();
        records.add(0, loadedMs, readableMs, readableMs);
        try (TableAppender table = new TableAppender(LogLayout.progress(rows), LogLayout.progress(), "load")) {
            table.add(records.take());
            table.commit();
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
