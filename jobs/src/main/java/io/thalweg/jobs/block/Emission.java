package io.thalweg.jobs.block;

import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;

/** What assembly hands to the sinks, in order: rows of a shard, then the progress that says that they are all. */
public sealed interface Emission {
    BlockType<Emission> TYPE = Chained.type(Emission.class);

    /** Rows of one tile and group at one window end. */
    record Rows(RowBlock block) implements Emission {}

    /** All rows of a shard up to a window end went before. */
    record Done(Progress progress) implements Emission {}
}
