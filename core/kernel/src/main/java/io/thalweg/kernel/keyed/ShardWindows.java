package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The state that a shard keeps of its keys from one window end to the next. It computes rows from that state and the panes.
 *
 * <p><b>Threads.</b> As {@link KeyedPanes}.
 */
sealed interface ShardWindows permits TumblingWindow, SlidingWindows {
    /** The objects that the parts of a shard share. */
    record Parts(Layout layout, ShardKeys keys, PaneTables panes) {}

    /** Reads the values of single keys at one window end whose rows have not been emitted. Valid as long as nothing changes. */
    interface Lookup {
        /**
         * Makes the processor fetch the slots of these keys in parallel, which otherwise dominates the time of a lookup. Small
         * tables benefit too, because reads go from shard to shard and each evicts the others from the cache.
         *
         * @return a value that depends on the reads, to be used so that the compiler does not drop them
         */
        long touch(long[] words, int from, int to);

        /** Adds a key's values to empty windows. */
        void addTo(long[] windows, Spill spill, long word, long second);
    }

    /** Whether some key gets a row at the next window end, even without another event. */
    boolean hasRowsToCome();

    /** The number of keys. */
    long size();

    /** The number of keys of the last window end that the pane in progress is likely to see again. */
    long expected();

    /** Begins a window end whose last pane has {@code entering} keys. */
    void begin(long entering);

    /** Adds the rows of the current range of keys at a window end. */
    void fire(long end, KeyRanges ranges, KeyedRows rows);

    /** Ends the window end begun last; returns the first pane that is still needed. */
    long finish(long end);

    /**
     * Returns a lookup of keys at a window end.
     *
     * @param firedEnd the window end at which the windows of a key are
     * @param firingEnd the window end at which they are if {@code fired} has passed the key
     */
    Lookup lookup(long end, long firedEnd, long firingEnd, KeyRanges fired);

    /** Returns a copy, as a part of a copied shard. */
    ShardWindows copy(Parts copied);

    long bytes();

    /** Writes the tables of both kinds of windows; those of the other kind are empty. */
    void write(DataOutput out) throws IOException;
}
