package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import java.io.DataOutput;
import java.io.IOException;

/**
 * What a shard keeps of its keys from one window end to the next, and how that and the panes become rows.
 *
 * <p><b>Threads.</b> As {@link KeyedPanes}.
 */
sealed interface ShardWindows permits TumblingWindow, SlidingWindows {
    /** The objects that the parts of a shard share. */
    record Parts(Layout layout, ShardKeys keys, PaneTables panes) {}

    /** The values of single keys at one window end whose rows have not left, for as long as nothing changes. */
    interface Lookup {
        /**
         * Lets the processor fetch what these keys need at once: that takes longer than all else. Small tables are no
         * exception, because reads go from shard to shard and each puts the others out of the cache.
         *
         * @return something of it, to be used, so that the compiler does not drop the reads
         */
        long touch(long[] words, int from, int to);

        /** Adds a key's values to windows that hold nothing. */
        void addTo(long[] windows, Spill spill, long word, long second);
    }

    /** Whether some key gets a row at the next window end, even without another event. */
    boolean hasRowsToCome();

    /** Keys kept. */
    long size();

    /** Keys of the last window end that the pane in progress is likely to see again. */
    long expected();

    /** Begins a window end whose last pane has this many keys. */
    void begin(long entering);

    /** Adds the rows of the current range of keys at a window end. */
    void fire(long end, KeyRanges ranges, KeyedRows rows);

    /** Ends the window end begun last; returns the first pane that is still needed. */
    long finish(long end);

    /**
     * Looks keys up at a window end.
     *
     * @param firedEnd the window end of the windows of a key
     * @param firingEnd their window end if {@code fired} has passed the key
     */
    Lookup lookup(long end, long firedEnd, long firingEnd, KeyRanges fired);

    /** A copy, as a part of a copied shard. */
    ShardWindows copy(Parts copied);

    long bytes();

    /** Writes the tables of both kinds of windows; those of the other kind are empty. */
    void write(DataOutput out) throws IOException;
}
