package io.thalweg.jobs.table;

import io.thalweg.tables.ParquetFileBuilder;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a table sink.
 *
 * @param layout the layout of the table
 * @param targetFile the size in bytes at which a file is finished before its checkpoint
 * @param expiry the snapshots that are removed
 * @param compaction the compaction of small files; null = none
 * @param retention the removal of old rows; null = none
 * @param collectUid the uid of the operator that collects the files of a checkpoint
 * @param writer identifies the job to the table, which keeps its last commit
 * @param run the run of the writer; written files are counted per run
 * @param jobId the key of the counts that this process shares with the job
 */
public record TableSpec(
        TableAddress table,
        TableLayout layout,
        ParquetFileBuilder.Compression compression,
        long targetFile,
        Expiry expiry,
        @Nullable Compaction compaction,
        @Nullable Retention retention,
        String collectUid,
        String writer,
        String run,
        String jobId)
        implements Serializable {
    /**
     * Removes snapshots, because each commit reads and writes the list of all.
     *
     * @param keep how long snapshots are kept after they are no longer current
     * @param most how many are kept
     */
    public record Expiry(Duration keep, int most) implements Serializable {}

    /**
     * Rewrites small data files into files of {@code targetFile}.
     *
     * @param below the size in bytes below which a file is small
     * @param every the time from the end of a pass to the next one
     */
    public record Compaction(long below, Duration every) implements Serializable {}

    /**
     * Removes rows, a partition at a time.
     *
     * @param column of times, by whose hour the table is partitioned
     * @param keep how long rows are kept
     */
    public record Retention(String column, Duration keep) implements Serializable {}
}
