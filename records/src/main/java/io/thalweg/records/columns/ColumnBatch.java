package io.thalweg.records.columns;

import java.util.List;

/**
 * Rows as columns.
 *
 * @param rows number of rows
 * @param leaves the leaves of the schema, depth first
 */
public record ColumnBatch(int rows, List<LeafColumn> leaves) {
    public ColumnBatch {
        leaves = List.copyOf(leaves);
    }

    /** Bytes of all values. */
    public long valueBytes() {
        long bytes = 0;
        for (LeafColumn leaf : leaves) {
            bytes += leaf.valueBytes();
        }
        return bytes;
    }
}
