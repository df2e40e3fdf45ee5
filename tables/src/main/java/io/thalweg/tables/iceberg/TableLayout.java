package io.thalweg.tables.iceberg;

import io.thalweg.records.schema.Struct;
import java.io.Serializable;
import java.util.List;

/**
 * What rows a table takes, and how they are spread over files.
 *
 * @param rows their schema
 * @param partitions rows with other values of these are in other files
 * @param addsColumns whether an existing table gets the columns that it lacks
 */
public record TableLayout(Struct rows, List<PartitionRule> partitions, boolean addsColumns) implements Serializable {
    public TableLayout {
        partitions = List.copyOf(partitions);
    }

    /** Without partitions; an existing table stays as it is. */
    public static TableLayout of(Struct rows) {
        return new TableLayout(rows, List.of(), false);
    }

    /** Splits rows. */
    public Partitioner partitioner() {
        return new Partitioner(rows, partitions);
    }
}
