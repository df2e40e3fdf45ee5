package io.thalweg.devkit.google;

import com.google.cloud.bigquery.storage.v1.TableSchema;
import com.google.protobuf.DynamicMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table of a {@link BigQueryFake}.
 *
 * <p><b>Threads.</b> Safe.
 */
final class FakeTable {
    private final TableSchema schema;
    private final boolean keepsRows;
    private final @Nullable Counting counting;
    private final List<DynamicMessage> visible = new ArrayList<>();
    private final Latencies latencies;
    private long rows;
    private long bytes;
    private long hashes;

    private FakeTable(TableSchema schema, boolean keepsRows, @Nullable Counting counting) {
        this.schema = schema;
        this.keepsRows = keepsRows;
        this.counting = counting;
        latencies = new Latencies(counting == null ? 0 : counting.skipMs());
    }

    /** Creates a table whose rows are checked. */
    static FakeTable checked(TableSchema schema, boolean keepsRows) {
        return new FakeTable(schema, keepsRows, null);
    }

    /** Creates a table whose rows are only counted and hashed. */
    static FakeTable counted(TableSchema schema, Counting counting) {
        return new FakeTable(schema, false, counting);
    }

    /**
     * The measurement of rows that are not kept.
     *
     * @param timeColumn the creation time of a row; empty = no latencies
     * @param skipMs the time from the first row on in which latencies do not count
     */
    record Counting(String timeColumn, long skipMs) {}

    /** Null if rows are checked. */
    @Nullable
    Counting counting() {
        return counting;
    }

    TableSchema schema() {
        return schema;
    }

    synchronized void show(FakeStream.Batch batch) {
        if (keepsRows) {
            visible.addAll(batch.rows());
        }
        rows += batch.size();
        bytes += batch.bytes();
        hashes += batch.hashes();
        long nowMs = System.currentTimeMillis();
        for (long madeMs : batch.madeMs()) {
            latencies.add(madeMs, nowMs);
        }
    }

    synchronized List<DynamicMessage> visible() {
        return List.copyOf(visible);
    }

    synchronized long rows() {
        return rows;
    }

    synchronized long bytes() {
        return bytes;
    }

    synchronized long hashes() {
        return hashes;
    }

    synchronized long latencyMs(double share) {
        return latencies.rankMs(share);
    }
}
