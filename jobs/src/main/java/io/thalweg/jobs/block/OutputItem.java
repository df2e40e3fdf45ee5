package io.thalweg.jobs.block;

import io.thalweg.model.Finality;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;

/** What assembly hands to the sinks, in order: rows of a shard, then the progress that says that they are all. */
public sealed interface OutputItem {
    BlockType<OutputItem> TYPE = Chained.type(OutputItem.class);

    /** Rows of one tile and group at one window end. */
    record Rows(RowBlock block) implements OutputItem {}

    /** Rows of one shard of a keyed view at one window end. */
    record Keyed(KeyedRowBlock block) implements OutputItem {}

    /** All rows of a shard up to a window end went before. */
    record Done(Progress progress) implements OutputItem {}

    /** Whether these are early rows, which no promise covers. */
    default boolean isPartial() {
        return this instanceof Keyed rows && rows.block().finality() == Finality.PARTIAL;
    }

    /** How many rows there are; 1 for progress. */
    default int rows() {
        if (this instanceof Rows rows) {
            return rows.block().rows();
        }
        return this instanceof Keyed rows ? rows.block().rows() : 1;
    }

    /** About what the rows take in memory; 1 for progress. */
    default long heapBytes() {
        if (this instanceof Rows rows) {
            return rows.block().heapBytes();
        }
        return this instanceof Keyed rows ? rows.block().heapBytes() : 1;
    }
}
