package io.thalweg.jobs.table;

import io.thalweg.tables.ParquetFileBuilder;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a sink writes, and where.
 *
 * @param layout of the table
 * @param targetFile bytes after which a file is ended before its checkpoint
 * @param keepSnapshots for how long snapshots are kept that are not current any more
 * @param compaction of small files; null = none
 * @param writer who writes, such as an ingest's qualified name
 * @param run of the writer: what one run has written is counted by it
 * @param jobId names what this process shares with the job: counts
 */
public record TableSpec(
        TableAddress table,
        TableLayout layout,
        ParquetFileBuilder.Compression compression,
        long targetFile,
        Duration keepSnapshots,
        @Nullable Compaction compaction,
        String writer,
        String run,
        String jobId)
        implements Serializable {
    /**
     * Small data files are rewritten into files of {@code targetFile}.
     *
     * @param below what is small; bytes
     * @param every from the end of a pass to the next one
     */
    public record Compaction(long below, Duration every) implements Serializable {}
}
