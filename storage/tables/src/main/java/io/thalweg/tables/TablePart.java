package io.thalweg.tables;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a table that is read.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param partitions values of partition columns, to read only their files; empty = all
 * @param snapshot of an Iceberg table; null = the newest
 * @param after read only rows appended to an Iceberg table since this snapshot; null = everything
 */
public record TablePart(
        Map<String, Set<String>> partitions,
        @Nullable Long snapshot,
        @Nullable Long after) {
    /** The whole table. */
    public static final TablePart ALL = new TablePart(Map.of(), null, null);
}
