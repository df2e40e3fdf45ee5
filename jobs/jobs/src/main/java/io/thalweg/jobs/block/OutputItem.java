package io.thalweg.jobs.block;

import io.thalweg.model.row.Finality;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;

/**
 * An item that a view's operators pass to its sinks, in order: the rows of a shard, then the progress that confirms that they are
 * complete.
 */
public sealed interface OutputItem {
    BlockType<OutputItem> TYPE = Chained.type(OutputItem.class);

    /** Rows of one shard at one window end. */
    record Rows(RowBlock block) implements OutputItem {}

    /** Confirms that all rows of a shard up to a window end were emitted before. */
    record Done(Progress progress) implements OutputItem {}

    /** Returns whether these are early rows, which no progress covers. */
    default boolean isPartial() {
        return this instanceof Rows rows && rows.block().finality() == Finality.PARTIAL;
    }

    /** The number of rows; 1 for progress. */
    default int rows() {
        return this instanceof Rows rows ? rows.block().rows() : 1;
    }

    /** The approximate size of the rows in memory; 1 for progress. */
    default long heapBytes() {
        return this instanceof Rows rows ? rows.block().heapBytes() : 1;
    }
}
