package io.thalweg.records.columns;

import java.util.ArrayList;
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

    /** Returns the number of bytes of all values. */
    public long valueBytes() {
        long bytes = 0;
        for (LeafColumn leaf : leaves) {
            bytes += leaf.valueBytes();
        }
        return bytes;
    }

    /**
     * Splits the rows into parts. Rows keep their order within a part.
     *
     * @param partOfRow the part of each row, counted from 0
     * @param parts number of parts
     */
    public List<ColumnBatch> split(int[] partOfRow, int parts) {
        int[] rowsOfPart = new int[parts];
        for (int row = 0; row < rows; row++) {
            rowsOfPart[partOfRow[row]]++;
        }
        LeafColumn[][] split = new LeafColumn[parts][leaves.size()];
        for (int leaf = 0; leaf < leaves.size(); leaf++) {
            LeafColumn[] of = leaves.get(leaf).split(partOfRow, parts);
            for (int part = 0; part < parts; part++) {
                split[part][leaf] = of[part];
            }
        }
        List<ColumnBatch> batches = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            batches.add(new ColumnBatch(rowsOfPart[part], List.of(split[part])));
        }
        return batches;
    }
}
