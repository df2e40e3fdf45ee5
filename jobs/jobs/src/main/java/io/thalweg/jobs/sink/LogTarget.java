package io.thalweg.jobs.sink;

import io.thalweg.history.LogLayout;
import io.thalweg.jobs.table.TableSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.Serializable;
import java.time.Duration;
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
        return table(view, table, LogLayout.rows(view, spec.format()), jobId);
    }

    /** The sink of progress. */
    TableSpec progress(FeatureView view, String jobId) {
        return table(view, LogLayout.progress(table), LogLayout.progress(), jobId);
    }

    private TableSpec table(FeatureView view, TableAddress address, TableLayout layout, String jobId) {
        return new TableSpec(
                address,
                layout,
                // Packed blocks are bits, which do not become smaller.
                spec.format() == OfflineSpec.Format.PACKED ? Compression.NONE : Compression.ZSTD,
                TARGET_FILE,
                EXPIRY,
                spec.compacts() ? new TableSpec.Compaction(SMALL_FILE, COMPACT_EVERY) : null,
                retention(spec.keep()),
                view.qualifiedName() + "/log/collect/" + address.name(),
                writer,
                run,
                jobId);
    }

    private static TableSpec.@Nullable Retention retention(@Nullable DurationText keep) {
        return keep == null ? null : new TableSpec.Retention(LogLayout.WINDOW_END, keep.duration());
    }
}
