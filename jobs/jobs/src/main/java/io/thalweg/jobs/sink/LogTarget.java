package io.thalweg.jobs.sink;

import io.thalweg.history.LogLayout;
import io.thalweg.jobs.table.TableSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.IcebergTableScan;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableCompactor;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a job writes the feature log of a view.
 *
 * @param table of rows
 * @param writer identifies the job to the tables, which keep its last commit
 * @param run identifies what this run writes
 */
public record LogTarget(OfflineSpec spec, TableAddress table, String writer, String run) implements Serializable {
    private static final long TARGET_FILE = 256L << 20;
    private static final long SMALL_FILE = 64L << 20;
    private static final Duration COMPACT_EVERY = Duration.ofMinutes(10);
    private static final TableSpec.Expiry EXPIRY = new TableSpec.Expiry(Duration.ofDays(1), 1_000);

    /** The sink of rows. */
    TableSpec rows(FeatureView view, String jobId) {
        return table(view, table, LogLayout.rows(view, spec.format()), LogLayout.partitionColumn(view), jobId);
    }

    /** The sink of progress. */
    TableSpec progress(FeatureView view, String jobId) {
        return table(view, LogLayout.progress(table), LogLayout.progress(), LogLayout.WINDOW_END, jobId);
    }

    /**
     * Merges small files of both tables, and removes what is not kept any longer, while a job may write to them.
     *
     * @param betweenRows called every few thousand rows; an exception ends the work
     * @throws IOException if a table cannot be read or written
     */
    public TableCompactor.Compacted compact(FeatureView view, Runnable betweenRows) throws IOException {
        TableCompactor.Compacted rows = compact(rows(view, ""), betweenRows);
        TableCompactor.Compacted progress = compact(progress(view, ""), betweenRows);
        return rows.plus(progress);
    }

    private static TableCompactor.Compacted compact(TableSpec table, Runnable betweenRows) throws IOException {
        TableSpec.Retention retention = table.retention();
        if (retention != null) {
            try (IcebergTableScan scan = IcebergTableScan.open(table.table())) {
                scan.removeBefore(retention.column(), Instant.now().minus(retention.keep()));
            }
        }
        TableCompactor.Rule rule = new TableCompactor.Rule(SMALL_FILE, TARGET_FILE, table.compression());
        try (TableCompactor compactor = TableCompactor.open(table.table(), rule);
                IcebergTableWriter writer = IcebergTableWriter.open(table.table(), table.layout())) {
            TableCompactor.Compacted done = compactor.compact(betweenRows);
            writer.expire(Instant.now().minus(EXPIRY.keep()), EXPIRY.most());
            return done;
        }
    }

    private TableSpec table(FeatureView view, TableAddress address, TableLayout layout, String time, String jobId) {
        return new TableSpec(
                address,
                layout,
                // Packed blocks are bits, which do not become smaller.
                spec.format() == OfflineSpec.Format.PACKED ? Compression.NONE : Compression.ZSTD,
                TARGET_FILE,
                EXPIRY,
                spec.compacts() ? new TableSpec.Compaction(SMALL_FILE, COMPACT_EVERY) : null,
                retention(time, spec.keep()),
                view.qualifiedName() + "/log/collect/" + address.name(),
                writer,
                run,
                jobId);
    }

    private static TableSpec.@Nullable Retention retention(String time, @Nullable DurationText keep) {
        return keep == null ? null : new TableSpec.Retention(time, keep.duration());
    }
}
