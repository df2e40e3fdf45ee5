package io.thalweg.jobs.compute;

import io.thalweg.formats.ViewReader;
import io.thalweg.jobs.block.RoutedBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.model.FeatureView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gathers one view's accepted events per shard until they leave as blocks.
 *
 * <p><b>Threads.</b> One.
 */
abstract class ShardGatherer<G extends Gathering> {
    private static final int MAX_GROUPS = 100_000;

    final ViewReader reader;
    private final List<@Nullable G> shards = new ArrayList<>(Collections.nCopies(Shards.COUNT, null));

    ShardGatherer(ViewReader reader) {
        this.reader = reader;
    }

    /** A gatherer for the events of a view. */
    static ShardGatherer<?> of(FeatureView view, ViewReader reader, Consumer<RoutedBlock> output) {
        return view.isKeyed() ? new KeyGatherer(view, reader, output) : new CellGatherer(view, reader, output);
    }

    /** Takes the event that the reader judged last. */
    abstract void add(long pane);

    /** Nothing of a shard yet. */
    abstract G gathering(int shard);

    /** Forgets what is known by the numbers of groups, which begin anew. */
    abstract void forgetGroups();

    /** What is gathered of a shard. */
    final G at(int shard) {
        G gathering = shards.get(shard);
        if (gathering == null) {
            gathering = gathering(shard);
            shards.set(shard, gathering);
        }
        return gathering;
    }

    /** Sends what is gathered. */
    final void flush() {
        for (G gathering : shards) {
            if (gathering != null) {
                gathering.send();
            }
        }
        if (reader.groupCount() > MAX_GROUPS) {
            reader.resetGroups();
            forgetGroups();
        }
    }
}
