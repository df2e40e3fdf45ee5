package io.thalweg.jobs.compute;

import io.thalweg.formats.view.ViewReader;
import io.thalweg.jobs.block.RoutedBlock;
import io.thalweg.model.FeatureView;
import java.util.function.Consumer;

/**
 * Gathers one view's accepted events per shard until they leave as blocks.
 *
 * <p><b>Threads.</b> One.
 */
abstract class ShardGatherer {
    private static final int MAX_GROUPS = 100_000;

    final ViewReader reader;

    ShardGatherer(ViewReader reader) {
        this.reader = reader;
    }

    /** A gatherer for the events of a view. */
    static ShardGatherer of(FeatureView view, ViewReader reader, Consumer<RoutedBlock> output) {
        return view.isKeyed() ? new KeyGatherer(view, reader, output) : new CellGatherer(view, reader, output);
    }

    /** Takes the event that the reader judged last. */
    abstract void add(long pane);

    /** Sends what is gathered. */
    abstract void send();

    /** Forgets what is known by the numbers of groups, whose numbering restarts. */
    abstract void forgetGroups();

    /** Sends what is gathered, and forgets groups where they have become too many. */
    final void flush() {
        send();
        if (reader.groupCount() > MAX_GROUPS) {
            reader.resetGroups();
            forgetGroups();
        }
    }
}
