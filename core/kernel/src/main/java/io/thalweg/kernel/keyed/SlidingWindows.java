package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Windows of several panes: the values of each key in each window, at the last window end whose rows were emitted.
 *
 * <p><b>Mechanism.</b> To fire a range of keys, the pane before the window end enters all windows, expired panes leave theirs, and
 * the rows are read from the windows. The windows of a key are therefore at the end in progress if its range is done, otherwise at
 * the previous end; a {@link #lookup} applies the difference.
 */
final class SlidingWindows implements ShardWindows {
    private final Parts parts;
    private final Layout layout;
    private final WordTable totals;
    private final Spill spill;

    SlidingWindows(Parts parts) {
        this(parts, new WordTable(parts.layout().keyWords, parts.layout().allWindowWords()), new Spill());
    }

    private SlidingWindows(Parts parts, WordTable totals, Spill spill) {
        this.parts = parts;
        this.layout = parts.layout();
        this.totals = totals;
        this.spill = spill;
    }

    static SlidingWindows read(DataInput in, Parts parts) throws IOException {
        Layout layout = parts.layout();
        var unusedEnded = WordTable.read(in, layout.keyWords, 0);
        var unusedEnding = WordTable.read(in, layout.keyWords, 0);
        WordTable totals = WordTable.read(in, layout.keyWords, layout.allWindowWords());
        return new SlidingWindows(parts, totals, Spill.read(in));
    }

    @Override
    public boolean hasRowsToCome() {
        return !totals.isEmpty();
    }

    @Override
    public long size() {
        return totals.size();
    }

    @Override
    public long expected() {
        return 0;
    }

    @Override
    public void begin(long entering) {
        if (entering > totals.size()) {
            totals.reserve(totals.size() + entering);
        }
    }

    @Override
    public void fire(long end, KeyRanges ranges, KeyedRows rows) {
        KeyedPane entering = parts.panes().get(end - 1);
        if (entering != null) {
            enter(entering, ranges);
        }
        for (int w = 0; w < layout.windows.length; w++) {
            KeyedPane leaving = parts.panes().get(end - 1 - layout.windows[w]);
            if (leaving != null) {
                leave(leaving, w, end, ranges);
            }
        }
        WordTable.Cursor each = ranges.of(totals);
        while (each.next()) {
            long[] words = each.words();
            int values = each.at() + layout.keyWords;
            parts.keys().row(words[each.at()], layout.second(words, each.at()), words, values, spill, rows);
            if (words[values + layout.largestWindowAt()] == 0) {
                layout.releaseAll(each.writableWords(), values, spill);
                each.remove();
            }
        }
        ranges.trim(totals);
    }

    private void enter(KeyedPane pane, KeyRanges ranges) {
        WordTable.Cursor each = ranges.of(pane.table);
        while (each.next()) {
            long[] from = each.words();
            totals.add(from[each.at()], layout.second(from, each.at()), 0, 0);
            layout.enterAll(
                    totals.words(),
                    totals.at() + layout.keyWords,
                    spill,
                    from,
                    each.at() + layout.keyWords,
                    pane.spill);
        }
    }

    private void leave(KeyedPane pane, int w, long end, KeyRanges ranges) {
        WordTable.Cursor each = ranges.of(pane.table);
        while (each.next()) {
            long[] from = each.words();
            long word = from[each.at()];
            long second = layout.second(from, each.at());
            totals.add(word, second, 0, 0);
            long[] words = totals.words();
            int at = totals.at() + layout.keyWords + w * layout.windowWords;
            if (layout.leave(words, at, spill, w, from, each.at() + layout.keyWords, pane.spill)) {
                mergeExtremes(words, at, spill, w, end, word, second);
            }
        }
    }

    /** Merges the extremes of all panes of a window again, because extremes cannot be subtracted. */
    private void mergeExtremes(long[] words, int at, Spill into, int w, long end, long word, long second) {
        layout.clearExtremes(words, at);
        if (words[at] == 0) {
            return;
        }
        for (KeyedPane pane : parts.panes().range(end - layout.windows[w], end)) {
            if (pane.table.find(word, second, 0, 0)) {
                layout.mergeExtremes(
                        words, at, into, pane.table.words(), pane.table.at() + layout.keyWords, pane.spill);
            }
        }
    }

    @Override
    public long finish(long end) {
        return end - layout.spec.largestPanes();
    }

    @Override
    public Lookup lookup(long end, long firedEnd, long firingEnd, KeyRanges ranges) {
        Shift unfired = new Shift(firedEnd, end);
        Shift fired = firingEnd > firedEnd ? new Shift(firingEnd, end) : unfired;
        return new Lookup() {
            @Override
            public long touch(long[] words, int from, int to) {
                return totals.touchAll(words, from, to) + unfired.touch(words, from, to);
            }

            @Override
            public void addTo(long[] windows, Spill into, long word, long second) {
                if (totals.find(word, second, 0, 0)) {
                    int found = totals.at() + layout.keyWords;
                    for (int at = 0; at < windows.length; at += layout.windowWords) {
                        layout.mergeWindow(windows, at, into, totals.words(), found + at, spill);
                    }
                }
                boolean isFired = firingEnd > firedEnd && ranges.isPassed(word);
                (isFired ? fired : unfired).apply(windows, into, word, second);
            }
        };
    }

    /** The panes that enter and leave the windows of a key between their current end and another one. */
    private final class Shift {
        private final long end;
        private final KeyedPane[] entering;
        /** By window. */
        private final KeyedPane[][] leaving;

        Shift(long from, long end) {
            long to = Math.max(from, end);
            this.end = end;
            entering = parts.panes().range(from, to);
            leaving = new KeyedPane[layout.windows.length][];
            Arrays.setAll(leaving, w -> parts.panes().range(from - layout.windows[w], to - layout.windows[w]));
        }

        long touch(long[] words, int from, int to) {
            long sum = 0;
            for (KeyedPane pane : entering) {
                sum += pane.table.touchAll(words, from, to);
            }
            for (KeyedPane[] ofWindow : leaving) {
                for (KeyedPane pane : ofWindow) {
                    sum += pane.table.touchAll(words, from, to);
                }
            }
            return sum;
        }

        void apply(long[] windows, Spill into, long word, long second) {
            for (KeyedPane pane : entering) {
                if (pane.table.find(word, second, 0, 0)) {
                    layout.enterAll(
                            windows, 0, into, pane.table.words(), pane.table.at() + layout.keyWords, pane.spill);
                }
            }
            for (int w = 0; w < layout.windows.length; w++) {
                leave(windows, into, w, word, second);
            }
        }

        private void leave(long[] windows, Spill into, int w, long word, long second) {
            int at = w * layout.windowWords;
            boolean stale = false;
            for (KeyedPane pane : leaving[w]) {
                if (pane.table.find(word, second, 0, 0)) {
                    int found = pane.table.at() + layout.keyWords;
                    stale |= layout.leave(windows, at, into, w, pane.table.words(), found, pane.spill);
                }
            }
            if (stale) {
                mergeExtremes(windows, at, into, w, end, word, second);
            }
        }
    }

    @Override
    public SlidingWindows copy(Parts copied) {
        return new SlidingWindows(copied, totals.copy(), spill.copy());
    }

    @Override
    public long bytes() {
        return totals.bytes();
    }

    @Override
    public void write(DataOutput out) throws IOException {
        new WordTable(layout.keyWords, 0).write(out);
        new WordTable(layout.keyWords, 0).write(out);
        totals.write(out);
        spill.write(out);
    }
}
