package io.thalweg.jobs.load;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Chained;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;

/**
 * An item that a source passes to the writer, in order: rows, the progress that confirms that they are complete, or a bad
 * record.
 */
public sealed interface LoadItem {
    BlockType<LoadItem> TYPE = Chained.type(LoadItem.class);

    /** Rows and their origin. */
    record Rows(RowBlock block, Origin origin) implements LoadItem {}

    /** Confirms that this subtask has emitted all its rows of a shard up to a window end. */
    record Done(Progress progress) implements LoadItem {}

    /** A record that cannot be used. */
    record Bad(DeadLetterReason reason, String detail, Origin origin, byte[] raw) implements LoadItem {}
}
