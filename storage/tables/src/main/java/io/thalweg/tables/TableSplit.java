package io.thalweg.tables;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a table that is read in one go: a row group of a Parquet file, or a whole CSV file.
 *
 * @param path of the file, absolute
 * @param partitions values of the table's partition columns as in the path, in the table's order; null where the path
 *   marks a missing value
 * @param rowGroup from 0; also 0 for files without row groups
 * @param rows {@link #UNKNOWN} if only reading reveals it
 * @param bytes roughly how much there is to read
 */
public record TableSplit(String path, List<@Nullable String> partitions, int rowGroup, long rows, long bytes)
        implements Serializable {
    /** Stands for an unknown number of rows. */
    public static final long UNKNOWN = -1;

    /** {@code /lake/driver_stats/dt=2026-11-20/part-0.parquet#2}. */
    public String id() {
        return path + "#" + rowGroup;
    }
}
