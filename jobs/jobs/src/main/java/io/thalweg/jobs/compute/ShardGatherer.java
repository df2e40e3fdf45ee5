package io.thalweg.jobs.compute;

import io.thalweg.formats.view.ViewReader;
import io.thalweg.jobs.block.RoutedBlock;
import io.thalweg.model.view.FeatureView;
import java.util.function.Consumer;

/**
 * Gathers one view's accepted events per shard and sends them as blocks.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
abstract class ShardGatherer {
    private static final int MAX_GROUPS = 100_000;

    final ViewReader reader;

    ShardGatherer(ViewReader reader) {
        this.reader = reader;
    }

    /** Creates a gatherer for the events of a view. */
    static ShardGatherer of(FeatureView view, ViewReader reader, Consumer<RoutedBlock> output) {
        return view.isKeyed() ? new KeyGatherer(view, reader, output) : new CellGatherer(view, reader, output);
    }

    /** Takes the event that the reader accepted last. */
    abstract void add(long pane);

    /** Sends everything gathered. */
    abstract void send();

    /** Forgets everything that refers to groups by number, because their numbering restarts. */
    abstract void forgetGroups();

    /** Sends everything gathered, and forgets groups if there are too many. */
    final void flush() {
        send();
        if (reader.groupCount() > MAX_GROUPS) {
            reader.resetGroups();
            forgetGroups();
        }
    }
}
