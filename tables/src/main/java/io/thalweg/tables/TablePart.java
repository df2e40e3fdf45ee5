package io.thalweg.tables;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of a table is read.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param partitions values of partition columns of which only the files are read; empty = all
 * @param snapshot of an Iceberg table; null = the newest
 * @param after only what was appended to an Iceberg table since this snapshot; null = everything
 */
public record TablePart(
        Map<String, Set<String>> partitions,
        @Nullable Long snapshot,
        @Nullable Long after) {
    /** All of it. */
    public static final TablePart ALL = new TablePart(Map.of(), null, null);
}
