package io.thalweg.tables.iceberg;

import io.thalweg.records.schema.Struct;
import java.io.Serializable;
import java.util.List;

/**
 * The rows that a table accepts, and their distribution over files.
 *
 * @param rows their schema
 * @param partitions rows with different values of these are in different files
 * @param addsColumns whether missing columns are added to an existing table
 */
public record TableLayout(Struct rows, List<PartitionRule> partitions, boolean addsColumns) implements Serializable {
    public TableLayout {
        partitions = List.copyOf(partitions);
    }

    /** Returns a layout without partitions that leaves the columns of an existing table unchanged. */
    public static TableLayout of(Struct rows) {
        return new TableLayout(rows, List.of(), false);
    }

    /** Creates a partitioner for the rows. */
    public Partitioner partitioner() {
        return new Partitioner(rows, partitions);
    }
}
