package io.thalweg.tables.iceberg;

import io.thalweg.records.schema.Struct;
import java.io.Serializable;
import java.util.List;

/**
 * What rows a table takes, and how they are spread over files.
 *
 * @param rows their schema
 * @param partitions rows with other values of these are in other files
 */
public record TableLayout(Struct rows, List<PartitionRule> partitions) implements Serializable {
    public TableLayout {
        partitions = List.copyOf(partitions);
    }

    /** Without partitions. */
    public static TableLayout of(Struct rows) {
        return new TableLayout(rows, List.of());
    }

    /** Splits rows. */
    public Partitioner partitioner() {
        return new Partitioner(rows, partitions);
    }
}
