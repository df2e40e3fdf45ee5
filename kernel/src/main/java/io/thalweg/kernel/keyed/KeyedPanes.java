package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import io.thalweg.kernel.table.Mix;
import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one shard of a keyed view: the panes still open, those that windows still need, and how far rows have left.
 *
 * <p><b>Rows.</b> At each window end {@code T}, a row for each key with an accepted event in the panes {@code T - largest …
 * T - 1}, and once more, with nothing in it, at the first end where it has none. They leave in turns, {@link #fire}; between
 * two turns events, {@link #read reads} and snapshots may come.
 *
 * <p><b>Time.</b> Panes below {@link #closedBefore()} are closed: what still arrives for them no longer counts.
 *
 * <p><b>Cost.</b> A pane takes some 21 bytes for each key and count; windows of more than one pane as much again for each
 * size, tumbling ones half as much for the keys of the pane before. A range of some thousand rows fires in a millisecond or so.
 *
 * <p><b>Threads.</b> One writer. What {@link #copy} was taken of may be read by another thread as long as nobody writes to
 * it any more.
 */
/*
 * Firing goes through the shard in ranges of the keys' first words, in which all tables are ordered. For a range, the pane
 * before the end enters all windows, the panes that fall out leave theirs, and the rows are read off. So the windows of a
 * key stand either at the end under way, if its range is done, or at the last one: whoever reads a key completes the rest.
 */
public final class KeyedPanes {
    private static final int RANGE_ENTRIES = 2048;
    private static final int RANGE_BITS_MOST = 24;
    /** Entries that a new pane has room for at once, where the one before has as many. */
    private static final int RESERVED_MOST = 1 << 15;

    private static final int BATCH = 64;
    private static final long CACHED_WORDS = 1 << 16;
    private static final byte[] NO_BYTES = {};

    /** One pane: its keys, and, where early rows are wanted, those that changed since the last. */
    private static final class Pane {
        final WordTable table;
        final Spill spill;
        WordTable changed;

        Pane(WordTable table, Spill spill, WordTable changed) {
            this.table = table;
            this.spill = spill;
            this.changed = changed;
        }
    }

    private final Layout layout;
    private final int keyWords;
    /** Whether an event of a key of one word just adds to a count: by far the most frequent view. */
    private final boolean countsOnly;

    private final boolean combines;

    private final TreeMap<Long, Pane> panes = new TreeMap<>();
    private final Sightings[] sightings;
    private WordTable totals;
    private Spill totalsSpill = new Spill();
    private @Nullable ByteKeys byteKeys;
    /** Of a tumbling window: the keys that had a row at the last end, and those that have had one at the end under way. */
    private WordTable ended;

    private WordTable ending;

    private long firedEnd;
    private long closedBefore;
    /** The end under way; {@link #firedEnd} where none is. */
    private long firingEnd;

    private int nextRange;
    private int rangeBits;

    private @Nullable WordTable publishing;
    private long publishingEnd;
    private int publishingRange;
    private int publishingBits;

    private final long[] window;
    private final Spill windowSpill = new Spill();
    private long[] keyWord = new long[BATCH];
    private long[] keySecond = {};
    private int entryAt;
    /** Read by nobody: lets the compiler not leave out what {@link #warm} reads. */
    @SuppressWarnings("UnusedVariable")
    private long touched;

    /**
     * No key is known yet.
     *
     * @param firedEnd rows of this window end and all before it have left
     */
    public KeyedPanes(KeyedSpec spec, long firedEnd) {
        this(new Layout(spec), firedEnd);
        byteKeys = spec.keys() == KeyForm.BYTES ? new ByteKeys() : null;
    }

    private KeyedPanes(Layout layout, long firedEnd) {
        this.layout = layout;
        this.keyWords = layout.keyWords;
        this.combines = layout.spec.combines();
        this.countsOnly = keyWords == 1 && layout.paneWords == 1 && !layout.spec.early();
        this.firedEnd = firedEnd;
        this.firingEnd = firedEnd;
        this.closedBefore = firedEnd;
        this.totals = new WordTable(keyWords, layout.windowWords * layout.windows.length);
        this.ended = new WordTable(keyWords, 0);
        this.ending = new WordTable(keyWords, 0);
        this.sightings = new Sightings[layout.distincts.length];
        Arrays.setAll(
                sightings, d -> new Sightings(keyWords, layout.distincts[d].idWords(), layout.spec.largestPanes()));
        this.window = new long[layout.windowWords * layout.windows.length];
    }

    /** A copy that shares the segments of all tables. */
    public KeyedPanes copy() {
        KeyedPanes copy = new KeyedPanes(layout, firedEnd);
        panes.forEach((number, pane) ->
                copy.panes.put(number, new Pane(pane.table.copy(), pane.spill.copy(), pane.changed.copy())));
        Arrays.setAll(copy.sightings, d -> sightings[d].copy());
        copy.ended = ended.copy();
        copy.ending = ending.copy();
        copy.totals = totals.copy();
        copy.totalsSpill = totalsSpill.copy();
        copy.byteKeys = byteKeys == null ? null : byteKeys.copy();
        copy.closedBefore = closedBefore;
        copy.firingEnd = firingEnd;
        copy.nextRange = nextRange;
        copy.rangeBits = rangeBits;
        copy.publishing = publishing == null ? null : publishing.copy();
        copy.publishingEnd = publishingEnd;
        copy.publishingRange = publishingRange;
        copy.publishingBits = publishingBits;
        return copy;
    }

    /** What is kept of each key. */
    public KeyedSpec spec() {
        return layout.spec;
    }

    /** Rows of this window end and all before it have left. */
    public long firedEnd() {
        return firedEnd;
    }

    /** Panes below this one are closed. */
    public long closedBefore() {
        return closedBefore;
    }

    /** Bytes of all tables. */
    public long bytes() {
        long bytes = totals.bytes() + ended.bytes() + ending.bytes() + (byteKeys == null ? 0 : byteKeys.bytes());
        for (Pane pane : panes.values()) {
            bytes += pane.table.bytes() + pane.changed.bytes();
        }
        for (Sightings ids : sightings) {
            bytes += ids.bytes();
        }
        return bytes;
    }

    /** Keys of all panes, each counted once for each pane. */
    public long entries() {
        return panes.values().stream().mapToLong(pane -> pane.table.size()).sum();
    }

    /**
     * Takes the events of a block.
     *
     * @return how many events were of a closed pane, and do not count
     * @throws IllegalArgumentException if events are combined that this view must see one by one
     */
    public long accumulate(KeyedBlock block) {
        if (block.weights() != null && !combines) {
            throw new IllegalArgumentException("events of " + layout.spec + " must not be combined");
        }
        resolve(block);
        long closed = 0;
        for (int from = 0; from < block.entries(); from += BATCH) {
            closed += accumulate(block, from, Math.min(from + BATCH, block.entries()));
        }
        return closed;
    }

    /** The words of the keys that the block lists. */
    private void resolve(KeyedBlock block) {
        int keys = block.keys();
        if (keyWord.length < keys) {
            keyWord = new long[keys];
        }
        if (keyWords == 2 && keySecond.length < keys) {
            keySecond = new long[keys];
        }
        byte[][] bytes = block.keyBytes();
        long[] high = block.keyHigh();
        long[] low = block.keyLow();
        ByteKeys codes = byteKeys;
        long[] words = keyWord;
        if (codes != null && bytes != null) {
            for (int k = 0; k < keys; k++) {
                words[k] = codes.code(bytes[k]);
            }
        } else if (keyWords == 2 && high != null && low != null) {
            System.arraycopy(high, 0, keySecond, 0, keys);
            for (int k = 0; k < keys; k++) {
                words[k] = KeyWord.of(high[k], low[k]);
            }
        } else if (low != null) {
            for (int k = 0; k < keys; k++) {
                words[k] = KeyWord.of(low[k]);
            }
        }
    }

    private long accumulate(KeyedBlock block, int from, int to) {
        int[] key = block.key();
        long[] matches = block.matches();
        long[] weights = block.weights();
        long number = block.pane(from);
        if (countsOnly && number >= closedBefore && isOnePane(block.panes(), from, to)) {
            count(pane(number).table, key, weights, from, to);
            return 0;
        }
        Pane pane = null;
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
            long second = keyWords == 2 ? keySecond[k] : 0;
            add(pane, number, keyWord[k], second, matches == null ? 0 : matches[e], events, block, e);
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
        long[] words = keyWord;
        for (int e = from; e < to; e++) {
            table.increment(words[key == null ? e : key[e]], weights == null ? 1 : weights[e]);
        }
    }

    /** Lets the processor fetch the slots of a batch at once rather than one after another. */
    private void warm(WordTable table, int @Nullable [] key, int from, int to) {
        if (table.size() * (keyWords + layout.paneWords) > CACHED_WORDS) {
            long sum = 0;
            for (int e = from; e < to; e++) {
                sum += table.touch(keyWord[key == null ? e : key[e]]);
            }
            touched = sum;
        }
    }

    private Pane pane(long number) {
        if (byteKeys != null) {
            byteKeys.filled(number);
        }
        Pane pane = panes.get(number);
        if (pane == null) {
            WordTable table = new WordTable(keyWords, layout.paneWords);
            table.reserve(Math.min(RESERVED_MOST, Math.max(size(number - 1), ended.size())));
            pane = new Pane(table, new Spill(), new WordTable(keyWords, 0));
            panes.put(number, pane);
        }
        return pane;
    }

    private void add(
            Pane pane, long number, long word, long second, long matches, long events, KeyedBlock block, int e) {
        WordTable table = pane.table;
        table.add(word, second, 0, 0);
        long[] words = table.words();
        int at = table.at() + keyWords;
        layout.accumulate(words, at, pane.spill, matches, events, block.inputs(), e);
        for (int d = 0; d < sightings.length; d++) {
            Layout.Distinct distinct = layout.distincts[d];
            if (Layout.holds(distinct.filter(), matches)) {
                long[] column = block.inputs()[distinct.column()];
                boolean wide = distinct.idWords() == 2;
                long low = wide ? block.inputs()[distinct.column() + 1][e] : column[e];
                if (sightings[d].add(number, word, second, wide ? column[e] : 0, low)) {
                    sighted(d, number, word, second, words, at);
                }
            }
        }
        if (layout.spec.early()) {
            pane.changed.add(word, second, 0, 0);
        }
    }

    /** A new sighting is fresh and last in the windows that hold no other, and takes that from its neighbours in time. */
    private void sighted(int d, long number, long word, long second, long[] words, int at) {
        Layout.Distinct distinct = layout.distincts[d];
        if (layout.tumbling) {
            words[at + distinct.paneAt()]++;
            return;
        }
        long before = sightings[d].before(number);
        long after = sightings[d].after(number);
        for (int w = 0; w < layout.windows.length; w++) {
            int size = layout.windows[w];
            words[at + layout.fresh(distinct, w)] += within(before, number, size) ? 0 : 1;
            words[at + layout.last(distinct, w)] += within(number, after, size) ? 0 : 1;
        }
        if (before != Sightings.NONE) {
            long[] earlier = entry(before, word, second);
            for (int w = 0; w < layout.windows.length; w++) {
                int size = layout.windows[w];
                boolean was = !within(before, after, size);
                earlier[entryAt + layout.last(distinct, w)] -= was && within(before, number, size) ? 1 : 0;
            }
        }
        if (after != Sightings.NONE) {
            long[] later = entry(after, word, second);
            for (int w = 0; w < layout.windows.length; w++) {
                int size = layout.windows[w];
                boolean was = !within(before, after, size);
                later[entryAt + layout.fresh(distinct, w)] -= was && within(number, after, size) ? 1 : 0;
            }
        }
    }

    /** Whether one window of that size can hold both sightings. */
    private static boolean within(long earlier, long later, int size) {
        return earlier != Sightings.NONE && later != Sightings.NONE && later - earlier < size;
    }

    /** A key's values in a pane that knows it, for writing; they begin at {@link #entryAt}. */
    private long[] entry(long number, long word, long second) {
        Pane pane = panes.get(number);
        if (pane == null || pane.table.add(word, second, 0, 0)) {
            throw new IllegalStateException("pane " + number + " does not know a key whose id was seen in it");
        }
        entryAt = pane.table.at() + keyWords;
        return pane.table.words();
    }

    /** The next window end that may have something to say, not after {@code limit}; {@code limit} where none has. */
    public long nextEnd(long limit) {
        if (firingEnd > firedEnd) {
            return Math.min(limit, firingEnd);
        }
        boolean open = layout.tumbling ? !ended.isEmpty() : !totals.isEmpty();
        if (open) {
            return Math.min(limit, firedEnd + 1);
        }
        Long first = panes.ceilingKey(firedEnd);
        return first == null ? limit : Math.min(limit, first + 1);
    }

    /**
     * Takes a turn at a window end: adds the rows of one range of keys, perhaps none.
     *
     * @param end at most {@link #nextEnd}
     * @return false, and nothing is done, where all rows of this end have left
     * @throws IllegalStateException if rows of an end before would be left out
     */
    public boolean fire(long end, KeyedRows rows) {
        if (end <= firedEnd) {
            return false;
        }
        if (end != firingEnd) {
            begin(end);
        }
        if (layout.tumbling) {
            fireTumbling(end, rows);
        } else {
            fireSliding(end, rows);
        }
        nextRange++;
        if (nextRange == 1 << rangeBits) {
            done(end);
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
        nextRange = 0;
        long entries = Math.max(totals.size(), Math.max(size(end - 1), ended.size()));
        rangeBits = Math.min(RANGE_BITS_MOST, 64 - Long.numberOfLeadingZeros(entries / RANGE_ENTRIES));
        if (layout.tumbling) {
            ending.reserve(size(end - 1));
        } else if (size(end - 1) > totals.size()) {
            totals.reserve(totals.size() + size(end - 1));
        }
    }

    private long size(long number) {
        Pane pane = panes.get(number);
        return pane == null ? 0 : pane.table.size();
    }

    private void done(long end) {
        firedEnd = end;
        long keepFrom = end - layout.spec.largestPanes();
        panes.headMap(layout.tumbling ? end : keepFrom).clear();
        ended = ending;
        ending = new WordTable(keyWords, 0);
        for (Sightings ids : sightings) {
            ids.dropBefore(keepFrom + 1);
        }
        if (byteKeys != null) {
            byteKeys.dropBefore(keepFrom);
        }
    }

    private void fireTumbling(long end, KeyedRows rows) {
        Pane pane = panes.get(end - 1);
        if (pane != null) {
            WordTable.Cursor each = pane.table.range(nextRange, rangeBits);
            while (each.next()) {
                row(each.words(), each.at(), each.words(), each.at() + keyWords, pane.spill, rows);
                ending.add(each.words()[each.at()], second(each), 0, 0);
            }
        }
        Arrays.fill(window, 0);
        WordTable.Cursor each = ended.range(nextRange, rangeBits);
        while (each.next()) {
            if (!ending.find(each.words()[each.at()], second(each), 0, 0)) {
                row(each.words(), each.at(), window, 0, windowSpill, rows);
            }
        }
    }

    private void fireSliding(long end, KeyedRows rows) {
        Pane entering = panes.get(end - 1);
        if (entering != null) {
            enter(entering);
        }
        for (int w = 0; w < layout.windows.length; w++) {
            Pane leaving = panes.get(end - 1 - layout.windows[w]);
            if (leaving != null) {
                leave(leaving, w, end);
            }
        }
        int largest = (layout.windows.length - 1) * layout.windowWords;
        WordTable.Cursor each = totals.range(nextRange, rangeBits);
        while (each.next()) {
            int values = each.at() + keyWords;
            row(each.words(), each.at(), each.words(), values, totalsSpill, rows);
            if (each.words()[values + largest] == 0) {
                remove(each, values);
            }
        }
        totals.trim(nextRange, rangeBits);
    }

    private void enter(Pane pane) {
        WordTable.Cursor each = pane.table.range(nextRange, rangeBits);
        while (each.next()) {
            totals.add(each.words()[each.at()], second(each), 0, 0);
            int values = totals.at() + keyWords;
            for (int w = 0; w < layout.windows.length; w++) {
                layout.enter(
                        totals.words(),
                        values + w * layout.windowWords,
                        totalsSpill,
                        w,
                        each.words(),
                        each.at() + keyWords,
                        pane.spill);
            }
        }
    }

    private void leave(Pane pane, int w, long end) {
        WordTable.Cursor each = pane.table.range(nextRange, rangeBits);
        while (each.next()) {
            long word = each.words()[each.at()];
            totals.add(word, second(each), 0, 0);
            long[] words = totals.words();
            int values = totals.at() + keyWords + w * layout.windowWords;
            if (layout.leave(words, values, totalsSpill, w, each.words(), each.at() + keyWords, pane.spill)) {
                mergeExtremes(words, values, totalsSpill, w, end, word, second(each));
            }
        }
    }

    /** What cannot be taken off is merged anew from the panes of the window. */
    private void mergeExtremes(long[] words, int at, Spill spill, int w, long end, long word, long second) {
        layout.clearExtremes(words, at);
        if (words[at] == 0) {
            return;
        }
        for (Pane pane : panes.subMap(end - layout.windows[w], end).values()) {
            if (pane.table.find(word, second, 0, 0)) {
                layout.mergeExtremes(words, at, spill, pane.table.words(), pane.table.at() + keyWords, pane.spill);
            }
        }
    }

    private void remove(WordTable.Cursor each, int values) {
        for (int w = 0; w < layout.windows.length; w++) {
            layout.release(each.writableWords(), values + w * layout.windowWords, totalsSpill);
        }
        each.remove();
    }

    private long second(WordTable.Cursor each) {
        return keyWords == 2 ? each.words()[each.at() + 1] : 0;
    }

    private void row(long[] key, int keyAt, long[] words, int at, Spill spill, KeyedRows rows) {
        row(key[keyAt], keyWords == 2 ? key[keyAt + 1] : 0, words, at, spill, rows);
    }

    private void row(long word, long second, long[] words, int at, Spill spill, KeyedRows rows) {
        long eventCount = words[at + (layout.windows.length - 1) * layout.windowWords];
        ByteKeys codes = byteKeys;
        if (codes != null) {
            rows.add(0, word, codes.key(word), eventCount);
        } else if (keyWords == 2) {
            rows.add(second, Mix.unpair(word, second), NO_BYTES, eventCount);
        } else {
            rows.add(0, Mix.unmix(word), NO_BYTES, eventCount);
        }
        layout.finish(words, at, spill, rows);
    }

    /**
     * Adds the rows of some keys at a window end whose rows have not left, over the events that came so far.
     *
     * @param reads is told which row is whose; keys without an event in the largest window have none
     * @param from to {@code to}: which of its keys
     * @param end at least {@link #closedBefore()}
     */
    public void read(KeyedReads reads, int from, int to, long end, KeyedRows rows) {
        Reader reader = new Reader(end);
        for (int first = from; first < to; first += BATCH) {
            int last = Math.min(to, first + BATCH);
            boolean[] known = resolve(reads, first, last);
            reader.warm(reads.words, first, last);
            for (int key = first; key < last; key++) {
                if (known[key - first] && reader.read(reads.words[key], reads.seconds[key], rows)) {
                    reads.found(key, rows.rows() - 1);
                } else {
                    reads.absent(key);
                }
            }
        }
    }

    /** Sets the words of keys of bytes; says which keys may be known at all. */
    private boolean[] resolve(KeyedReads reads, int from, int to) {
        boolean[] known = new boolean[to - from];
        ByteKeys codes = byteKeys;
        if (codes == null) {
            Arrays.fill(known, true);
            return known;
        }
        for (int key = from; key < to; key++) {
            Long code = codes.codeIfKnown(reads.bytes[key]);
            known[key - from] = code != null;
            reads.words[key] = code == null ? 0 : code;
        }
        return known;
    }

    private Pane[] panes(long from, long to) {
        return panes.subMap(from, to).values().toArray(Pane[]::new);
    }

    /** What enters and leaves the windows of a key between the end at which they stand and the one that is asked for. */
    private final class Shift {
        final Pane[] entering;
        /** By window. */
        final Pane[][] leaving;

        Shift(long from, long end) {
            long to = Math.max(from, end);
            entering = panes(from, to);
            leaving = new Pane[layout.windows.length][];
            Arrays.setAll(leaving, w -> panes(from - layout.windows[w], to - layout.windows[w]));
        }
    }

    /** Makes rows at one end for as long as nothing changes. */
    private final class Reader {
        private final long end;
        private final @Nullable Pane open;
        private final Shift unfired;
        private final Shift fired;

        Reader(long end) {
            if (end < closedBefore) {
                throw new IllegalArgumentException(
                        "a live window must end at or after " + closedBefore + ", was " + end);
            }
            this.end = end;
            this.open = panes.get(end - 1);
            this.unfired = new Shift(firedEnd, end);
            this.fired = firingEnd > firedEnd ? new Shift(firingEnd, end) : unfired;
        }

        /** Lets the processor fetch at once what reading these keys looks at, in several tables: it takes longer than all else. */
        void warm(long[] keys, int from, int to) {
            long sum = 0;
            if (!layout.tumbling) {
                sum += warm(totals, keys, from, to);
                for (Pane pane : unfired.entering) {
                    sum += warm(pane.table, keys, from, to);
                }
                for (Pane[] panesOfWindow : unfired.leaving) {
                    for (Pane pane : panesOfWindow) {
                        sum += warm(pane.table, keys, from, to);
                    }
                }
            } else if (open != null) {
                sum += warm(open.table, keys, from, to);
            }
            touched = sum;
        }

        /** However small the table: reads go from shard to shard, and each puts the others out of the cache. */
        private long warm(WordTable table, long[] keys, int from, int to) {
            long sum = 0;
            for (int key = from; key < to; key++) {
                sum += table.touch(keys[key]);
            }
            return sum;
        }

        /** Adds the row of a key; false where no event lies in the largest window. */
        boolean read(long word, long second, KeyedRows rows) {
            Arrays.fill(window, 0);
            if (layout.tumbling) {
                openWindow(word, second);
            } else {
                windows(word, second, isFired(word) ? fired : unfired);
            }
            boolean any = window[(layout.windows.length - 1) * layout.windowWords] != 0;
            if (any) {
                row(word, second, window, 0, windowSpill, rows);
            }
            for (int w = 0; w < layout.windows.length; w++) {
                layout.release(window, w * layout.windowWords, windowSpill);
            }
            return any;
        }

        private void openWindow(long word, long second) {
            if (open != null && open.table.find(word, second, 0, 0)) {
                WordTable found = open.table;
                layout.mergeWindow(window, 0, windowSpill, found.words(), found.at() + keyWords, open.spill);
            }
        }

        /** As far as firing has come, and on from there. */
        private void windows(long word, long second, Shift shift) {
            if (totals.find(word, second, 0, 0)) {
                int found = totals.at() + keyWords;
                for (int at = 0; at < window.length; at += layout.windowWords) {
                    layout.mergeWindow(window, at, windowSpill, totals.words(), found + at, totalsSpill);
                }
            }
            for (Pane pane : shift.entering) {
                if (pane.table.find(word, second, 0, 0)) {
                    int found = pane.table.at() + keyWords;
                    for (int w = 0; w < layout.windows.length; w++) {
                        int at = w * layout.windowWords;
                        layout.enter(window, at, windowSpill, w, pane.table.words(), found, pane.spill);
                    }
                }
            }
            for (int w = 0; w < layout.windows.length; w++) {
                leave(shift.leaving[w], w, word, second);
            }
        }

        private void leave(Pane[] leaving, int w, long word, long second) {
            int at = w * layout.windowWords;
            boolean stale = false;
            for (Pane pane : leaving) {
                if (pane.table.find(word, second, 0, 0)) {
                    int found = pane.table.at() + keyWords;
                    stale |= layout.leave(window, at, windowSpill, w, pane.table.words(), found, pane.spill);
                }
            }
            if (stale) {
                mergeExtremes(window, at, windowSpill, w, end, word, second);
            }
        }
    }

    /** Whether the rows of a key have left for the end under way. */
    private boolean isFired(long word) {
        return firingEnd > firedEnd
                && (rangeBits == 0 ? nextRange > 0 : (word ^ Long.MIN_VALUE) >>> (64 - rangeBits) < nextRange);
    }

    /**
     * Begins early rows of a window end: of the keys that have changed since the last time, in the pane before the end. Where
     * those of the last time have not all left, they go on instead.
     *
     * @param end at least {@link #closedBefore()}
     */
    public void beginEarly(long end) {
        Pane pane = panes.get(end - 1);
        if ((publishing != null && publishingEnd == end) || pane == null || pane.changed.isEmpty()) {
            return;
        }
        publishing = pane.changed;
        pane.changed = new WordTable(keyWords, 0);
        publishingEnd = end;
        publishingRange = 0;
        publishingBits = Math.min(RANGE_BITS_MOST, 64 - Long.numberOfLeadingZeros(publishing.size() / RANGE_ENTRIES));
    }

    /** Takes a turn at early rows: adds those of one range of keys; false where none are left. */
    public boolean early(KeyedRows rows) {
        WordTable keys = publishing;
        if (keys == null || publishingEnd < closedBefore) {
            publishing = null;
            return false;
        }
        Reader reader = new Reader(publishingEnd);
        WordTable.Cursor each = keys.range(publishingRange, publishingBits);
        while (each.next()) {
            boolean unused = reader.read(each.words()[each.at()], second(each), rows);
        }
        publishingRange++;
        if (publishingRange == 1 << publishingBits) {
            publishing = null;
        }
        return true;
    }

    /** The window end that {@link #early} adds rows of. */
    public long earlyEnd() {
        return publishingEnd;
    }

    /** Writes all tables and how far firing has come. */
    public void write(DataOutput out) throws IOException {
        out.writeLong(firedEnd);
        out.writeLong(closedBefore);
        out.writeLong(firingEnd);
        out.writeInt(nextRange);
        out.writeByte(rangeBits);
        out.writeInt(panes.size());
        for (Map.Entry<Long, Pane> entry : panes.entrySet()) {
            out.writeLong(entry.getKey());
            entry.getValue().table.write(out);
            entry.getValue().spill.write(out);
            entry.getValue().changed.write(out);
        }
        ended.write(out);
        ending.write(out);
        totals.write(out);
        totalsSpill.write(out);
        for (Sightings ids : sightings) {
            ids.write(out);
        }
        if (byteKeys != null) {
            byteKeys.write(out);
        }
        WordTable unpublished = publishing == null ? new WordTable(keyWords, 0) : publishing;
        out.writeLong(publishingEnd);
        unpublished.write(out);
    }

    /**
     * Reads what {@link #write} wrote for the same spec.
     *
     * @throws IOException also if the spec keeps something else
     */
    public static KeyedPanes read(DataInput in, KeyedSpec spec) throws IOException {
        KeyedPanes shard = new KeyedPanes(spec, in.readLong());
        shard.closedBefore = in.readLong();
        shard.firingEnd = in.readLong();
        shard.nextRange = in.readInt();
        shard.rangeBits = in.readByte();
        for (int left = in.readInt(); left > 0; left--) {
            long number = in.readLong();
            shard.panes.put(number, shard.readPane(in));
        }
        shard.ended = WordTable.read(in, shard.keyWords, 0);
        shard.ending = WordTable.read(in, shard.keyWords, 0);
        shard.totals = WordTable.read(in, shard.keyWords, shard.layout.windowWords * shard.layout.windows.length);
        shard.totalsSpill = Spill.read(in);
        for (Sightings ids : shard.sightings) {
            ids.read(in);
        }
        if (shard.byteKeys != null) {
            shard.byteKeys.read(in);
        }
        shard.publishingEnd = in.readLong();
        shard.changedAgain(WordTable.read(in, shard.keyWords, 0));
        return shard;
    }

    private Pane readPane(DataInput in) throws IOException {
        WordTable table = WordTable.read(in, keyWords, layout.paneWords);
        Spill spill = Spill.read(in);
        return new Pane(table, spill, WordTable.read(in, keyWords, 0));
    }

    /** Keys whose early rows may not all have left count as changed. */
    private void changedAgain(WordTable unpublished) {
        Pane pane = panes.get(publishingEnd - 1);
        if (pane != null) {
            for (WordTable.Cursor each = unpublished.all(); each.next(); ) {
                pane.changed.add(each.words()[each.at()], second(each), 0, 0);
            }
        }
    }
}
