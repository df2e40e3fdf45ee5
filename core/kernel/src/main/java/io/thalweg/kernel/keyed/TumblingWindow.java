package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One window of one pane, so a pane's values are the window's. It only keeps the keys that had a row at the last window end,
 * because they get a closing row if they have none at the next.
 */
final class TumblingWindow implements ShardWindows {
    private final Parts parts;
    private final Layout layout;
    /** The values of a closing row; never written. */
    private final long[] nothing;

    private final Spill noSpill = new Spill();
    private WordTable ended;
    /** The keys that have had a row at the window end in progress. */
    private WordTable ending;

    TumblingWindow(Parts parts) {
        this(parts, new WordTable(parts.layout().keyWords, 0), new WordTable(parts.layout().keyWords, 0));
    }

    private TumblingWindow(Parts parts, WordTable ended, WordTable ending) {
        this.parts = parts;
        this.layout = parts.layout();
        this.nothing = new long[layout.windowWords];
        this.ended = ended;
        this.ending = ending;
    }

    static TumblingWindow read(DataInput in, Parts parts) throws IOException {
        int keyWords = parts.layout().keyWords;
        WordTable ended = WordTable.read(in, keyWords, 0);
        WordTable ending = WordTable.read(in, keyWords, 0);
        var unusedTotals = WordTable.read(in, keyWords, parts.layout().windowWords);
        var unusedSpill = Spill.read(in);
        return new TumblingWindow(parts, ended, ending);
    }

    @Override
    public boolean hasRowsToCome() {
        return !ended.isEmpty();
    }

    @Override
    public long size() {
        return ended.size();
    }

    @Override
    public long expected() {
        return ended.size();
    }

    @Override
    public void begin(long entering) {
        ending.reserve(entering);
    }

    @Override
    public void fire(long end, KeyRanges ranges, KeyedRows rows) {
        KeyedPane pane = parts.panes().get(end - 1);
        if (pane != null) {
            WordTable.Cursor each = ranges.of(pane.table);
            while (each.next()) {
                long[] words = each.words();
                long word = words[each.at()];
                long second = layout.second(words, each.at());
                parts.keys().row(word, second, words, each.at() + layout.keyWords, pane.spill, rows);
                ending.add(word, second, 0, 0);
            }
        }
        WordTable.Cursor each = ranges.of(ended);
        while (each.next()) {
            long word = each.words()[each.at()];
            long second = layout.second(each.words(), each.at());
            if (!ending.find(word, second, 0, 0)) {
                parts.keys().row(word, second, nothing, 0, noSpill, rows);
            }
        }
    }

    @Override
    public long finish(long end) {
        ended = ending;
        ending = new WordTable(layout.keyWords, 0);
        return end;
    }

    @Override
    public Lookup lookup(long end, long firedEnd, long firingEnd, KeyRanges fired) {
        @Nullable KeyedPane open = parts.panes().get(end - 1);
        return new Lookup() {
            @Override
            public long touch(long[] words, int from, int to) {
                return open == null ? 0 : open.table.touchAll(words, from, to);
            }

            @Override
            public void addTo(long[] windows, Spill spill, long word, long second) {
                if (open != null && open.table.find(word, second, 0, 0)) {
                    WordTable found = open.table;
                    layout.mergeWindow(windows, 0, spill, found.words(), found.at() + layout.keyWords, open.spill);
                }
            }
        };
    }

    @Override
    public TumblingWindow copy(Parts copied) {
        return new TumblingWindow(copied, ended.copy(), ending.copy());
    }

    @Override
    public long bytes() {
        return ended.bytes() + ending.bytes();
    }

    @Override
    public void write(DataOutput out) throws IOException {
        ended.write(out);
        ending.write(out);
        new WordTable(layout.keyWords, layout.windowWords).write(out);
        new Spill().write(out);
    }
}
