package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one shard of a keyed view: the open panes, those that windows still need, and the last window end whose rows have
 * been emitted.
 *
 * <p><b>Rows.</b> At each window end {@code T}, a row for each key with an accepted event in the panes {@code T - largest …
 * T - 1}, and one closing row, with empty windows, at the first end where it has none. Rows are emitted in turns, {@link #fire};
 * between two turns, events, {@link #read reads} and snapshots may occur.
 *
 * <p><b>Time.</b> Panes below {@link #closedBefore()} are closed: events that arrive for them do not count.
 *
 * <p><b>Cost.</b> A pane takes about 21 bytes per key and count. Windows of more than one pane take as much again per window
 * size; tumbling windows take half as much for the keys of the previous pane. A range of a few thousand rows fires in about a
 * millisecond.
 *
 * <p><b>Threads.</b> One writer. Another thread may read a shard that was {@linkplain #copy copied} as long as it writes to
 * neither the shard nor the copy.
 */
/*
 * Firing iterates over the shard in ranges of the keys' first words (KeyRanges), the order of all its tables. The state of the
 * windows between two ends differs between TumblingWindow and SlidingWindows; everything else is common to both.
 */
public final class KeyedPanes {
    private static final int BATCH = 64;
    /** Tables up to this size are assumed to be in the processor's cache. */
    private static final long CACHED_WORDS = 1 << 16;

    private final Layout layout;
    private final boolean combines;
    /** Whether an event of a key of one word only adds to a count, as in the most frequent views. */
    private final boolean countsOnly;

    private final ShardKeys keys;
    private final PaneTables panes;
    private final DistinctIds distinct;
    private final EarlyRows early;
    private final KeyRanges ranges;
    private ShardWindows windows;

    private long firedEnd;
    private long closedBefore;
    /** The end in progress; {@link #firedEnd} if there is none. */
    private long firingEnd;

    /** Keeps the compiler from dropping the reads of {@link #warm}. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    /**
     * Creates a shard without keys.
     *
     * @param firedEnd the last window end whose rows have been emitted
     */
    public KeyedPanes(KeyedSpec spec, long firedEnd) {
        this.layout = new Layout(spec);
        this.combines = spec.combines();
        this.countsOnly = countsOnly(layout);
        this.keys = new ShardKeys(layout);
        this.panes = new PaneTables(layout);
        this.distinct = new DistinctIds(layout, panes);
        this.early = new EarlyRows(layout, panes);
        this.ranges = new KeyRanges();
        this.windows = layout.tumbling ? new TumblingWindow(parts()) : new SlidingWindows(parts());
        this.firedEnd = firedEnd;
        this.firingEnd = firedEnd;
        this.closedBefore = firedEnd;
    }

    private KeyedPanes(KeyedPanes other) {
        layout = other.layout;
        combines = other.combines;
        countsOnly = other.countsOnly;
        keys = other.keys.copy();
        panes = other.panes.copy();
        distinct = other.distinct.copy(panes);
        early = other.early.copy(panes);
        ranges = other.ranges.copy();
        windows = other.windows.copy(new ShardWindows.Parts(layout, keys, panes));
        firedEnd = other.firedEnd;
        firingEnd = other.firingEnd;
        closedBefore = other.closedBefore;
    }

    private static boolean countsOnly(Layout layout) {
        return layout.keyWords == 1 && layout.paneWords == 1 && !layout.spec.early();
    }

    private ShardWindows.Parts parts() {
        return new ShardWindows.Parts(layout, keys, panes);
    }

    /** Returns a copy that shares the segments of all tables. */
    public KeyedPanes copy() {
        return new KeyedPanes(this);
    }

    /** The aggregates that are kept per key. */
    public KeyedSpec spec() {
        return layout.spec;
    }

    /** The last window end whose rows have been emitted. */
    public long firedEnd() {
        return firedEnd;
    }

    /** The pane below which all panes are closed. */
    public long closedBefore() {
        return closedBefore;
    }

    /** The number of bytes of all tables. */
    public long bytes() {
        return windows.bytes() + keys.bytes() + panes.bytes() + distinct.bytes();
    }

    /** The number of keys of all panes, each counted once per pane. */
    public long entries() {
        return panes.entries();
    }

    /**
     * Accumulates the events of a block.
     *
     * @return the number of events of closed panes, which do not count
     * @throws IllegalArgumentException if events are combined although this view does not allow it
     */
    public long accumulate(KeyedBlock block) {
        if (block.weights() != null && !combines) {
            throw new IllegalArgumentException("events of " + layout.spec + " must not be combined");
        }
        keys.resolve(block);
        long closed = 0;
        for (int from = 0; from < block.entries(); from += BATCH) {
            closed += accumulate(block, from, Math.min(from + BATCH, block.entries()));
        }
        return closed;
    }

    private long accumulate(KeyedBlock block, int from, int to) {
        int[] key = block.key();
        long[] matches = block.matches();
        long[] weights = block.weights();
        long[] words = keys.words();
        long number = block.pane(from);
        if (countsOnly && number >= closedBefore && isOnePane(block.panes(), from, to)) {
            count(pane(number).table, key, weights, from, to);
            return 0;
        }
        KeyedPane pane = null;
        long closed = 0;
        for (int e = from; e < to; e++) {
            long events = weights == null ? 1 : weights[e];
            long its = block.pane(e);
            if (its < closedBefore) {
                closed += events;
                continue;
            }
            if (pane == null) {
                number = its;
                pane = pane(number);
                warm(pane.table, key, e, to);
            } else if (number != its) {
                number = its;
                pane = pane(number);
            }
            int k = key == null ? e : key[e];
            add(pane, number, words[k], keys.second(k), matches == null ? 0 : matches[e], events, block, e);
        }
        return closed;
    }

    private static boolean isOnePane(long[] numbers, int from, int to) {
        if (numbers.length == 1) {
            return true;
        }
        long differences = 0;
        for (int e = from; e < to; e++) {
            differences |= numbers[e] ^ numbers[from];
        }
        return differences == 0;
    }

    private void count(WordTable table, int @Nullable [] key, long @Nullable [] weights, int from, int to) {
        warm(table, key, from, to);
        long[] words = keys.words();
        for (int e = from; e < to; e++) {
            table.increment(words[key == null ? e : key[e]], weights == null ? 1 : weights[e]);
        }
    }

    /** Makes the processor fetch the slots of a batch in parallel rather than one after another. */
    private void warm(WordTable table, int @Nullable [] key, int from, int to) {
        if (table.size() * (layout.keyWords + layout.paneWords) > CACHED_WORDS) {
            long[] words = keys.words();
            long sum = 0;
            for (int e = from; e < to; e++) {
                sum += table.touch(words[key == null ? e : key[e]]);
            }
            touched = sum;
        }
    }

    private KeyedPane pane(long number) {
        keys.filled(number);
        return panes.open(number, windows.expected());
    }

    private void add(
            KeyedPane pane, long number, long word, long second, long matches, long events, KeyedBlock block, int e) {
        WordTable table = pane.table;
        table.add(word, second, 0, 0);
        long[] words = table.words();
        int at = table.at() + layout.keyWords;
        layout.accumulate(words, at, pane.spill, matches, events, block.inputs(), e);
        distinct.add(number, word, second, matches, block, e, words, at);
        if (layout.spec.early()) {
            pane.change(word, second);
        }
    }

    /** The next window end that may have rows, at most {@code limit}; {@code limit} if there is none. */
    public long nextEnd(long limit) {
        if (firingEnd > firedEnd) {
            return Math.min(limit, firingEnd);
        }
        if (windows.hasRowsToCome()) {
            return Math.min(limit, firedEnd + 1);
        }
        Long first = panes.firstFrom(firedEnd);
        return first == null ? limit : Math.min(limit, first + 1);
    }

    /**
     * Takes a turn at a window end: adds the rows of one range of keys, possibly none.
     *
     * @param end at most {@link #nextEnd}
     * @return false, without effect, if all rows of this end have been emitted
     * @throws IllegalStateException if rows of an earlier end would be skipped
     */
    public boolean fire(long end, KeyedRows rows) {
        if (end <= firedEnd) {
            return false;
        }
        if (end != firingEnd) {
            begin(end);
        }
        windows.fire(end, ranges, rows);
        if (!ranges.advance()) {
            finish(end);
        }
        return true;
    }

    private void begin(long end) {
        if (nextEnd(end) < end) {
            throw new IllegalStateException(
                    "rows of window end " + nextEnd(end) + " must leave before those of " + end);
        }
        firingEnd = end;
        closedBefore = Math.max(closedBefore, end);
        long entering = panes.size(end - 1);
        ranges.begin(Math.max(windows.size(), entering));
        windows.begin(entering);
    }

    private void finish(long end) {
        firedEnd = end;
        panes.dropBefore(windows.finish(end));
        long keepFrom = end - layout.spec.largestPanes();
        distinct.dropBefore(keepFrom + 1);
        keys.dropBefore(keepFrom);
    }

    /**
     * Adds the rows of some keys at a window end whose rows have not been emitted, over the events accumulated so far.
     *
     * @param reads receives the row of each key; keys without an event in the largest window have none
     * @param from the first of its keys to read; {@code to} is exclusive
     * @param end at least {@link #closedBefore()}
     */
    public void read(KeyedReads reads, int from, int to, long end, KeyedRows rows) {
        reader(end).read(reads, from, to, rows);
    }

    private OpenWindowReader reader(long end) {
        if (end < closedBefore) {
            throw new IllegalArgumentException("a live window must end at or after " + closedBefore + ", was " + end);
        }
        return new OpenWindowReader(layout, keys, windows.lookup(end, firedEnd, firingEnd, ranges));
    }

    /**
     * Begins early rows of a window end, for the keys that have changed since the last ones in the pane before the end. Early rows
     * of the same end that are in progress continue instead.
     *
     * @param end at least {@link #closedBefore()}
     */
    public void beginEarly(long end) {
        early.begin(end);
    }

    /** Takes a turn at early rows: adds those of one range of keys; returns false if none are left. */
    public boolean early(KeyedRows rows) {
        return early.emit(closedBefore, this::reader, rows);
    }

    /** The window end of the rows that {@link #early} adds. */
    public long earlyEnd() {
        return early.end();
    }

    /** Writes all tables and the progress of firing. */
    public void write(DataOutput out) throws IOException {
        out.writeLong(firedEnd);
        out.writeLong(closedBefore);
        out.writeLong(firingEnd);
        ranges.write(out);
        panes.write(out);
        windows.write(out);
        distinct.write(out);
        keys.write(out);
        early.write(out);
    }

    /**
     * Reads what {@link #write} wrote for the same spec.
     *
     * @throws IOException also if the spec has another layout
     */
    public static KeyedPanes read(DataInput in, KeyedSpec spec) throws IOException {
        KeyedPanes shard = new KeyedPanes(spec, in.readLong());
        shard.closedBefore = in.readLong();
        shard.firingEnd = in.readLong();
        shard.ranges.read(in);
        shard.panes.read(in);
        shard.windows =
                shard.layout.tumbling ? TumblingWindow.read(in, shard.parts()) : SlidingWindows.read(in, shard.parts());
        shard.distinct.read(in);
        shard.keys.read(in);
        shard.early.read(in);
        return shard;
    }
}
