package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The distinct counts of a shard: which ids each key had in which panes, and their effect on the counts of its windows.
 *
 * <p><b>Mechanism.</b> A window's number of distinct ids changes by the ids that are <i>fresh</i> in the pane that enters (no
 * other pane of the window holds them) less those that are <i>last</i> in the pane that leaves. A pane counts both for each
 * window size. An id seen in a pane affects the counts of at most its two neighbours in time, so each new sighting corrects
 * those two.
 */
final class DistinctIds {
    private final Layout layout;
    private final PaneTables panes;
    private final SeenIds[] seen;
    private int entryAt;

    DistinctIds(Layout layout, PaneTables panes) {
        this.layout = layout;
        this.panes = panes;
        this.seen = new SeenIds[layout.distincts.length];
        Arrays.setAll(
                seen, d -> new SeenIds(layout.keyWords, layout.distincts[d].idWords(), layout.spec.largestPanes()));
    }

    DistinctIds copy(PaneTables copiedPanes) {
        DistinctIds copy = new DistinctIds(layout, copiedPanes);
        Arrays.setAll(copy.seen, d -> seen[d].copy());
        return copy;
    }

    /**
     * Counts the ids of an entry of a block.
     *
     * @param words contains the key's values in pane {@code number}, from {@code at} on
     */
    void add(long number, long word, long second, long matches, KeyedBlock block, int entry, long[] words, int at) {
        for (int d = 0; d < seen.length; d++) {
            Layout.Distinct distinct = layout.distincts[d];
            if (Layout.holds(distinct.filter(), matches)) {
                long[] column = block.inputs()[distinct.column()];
                boolean wide = distinct.idWords() == 2;
                long low = wide ? block.inputs()[distinct.column() + 1][entry] : column[entry];
                if (seen[d].add(number, word, second, wide ? column[entry] : 0, low)) {
                    count(d, number, word, second, words, at);
                }
            }
        }
    }

    private void count(int d, long number, long word, long second, long[] words, int at) {
        Layout.Distinct distinct = layout.distincts[d];
        if (layout.tumbling) {
            words[at + distinct.paneAt()]++;
            return;
        }
        long before = seen[d].before(number);
        long after = seen[d].after(number);
        for (int w = 0; w < layout.windows.length; w++) {
            int size = layout.windows[w];
            words[at + layout.fresh(distinct, w)] += within(before, number, size) ? 0 : 1;
            words[at + layout.last(distinct, w)] += within(number, after, size) ? 0 : 1;
        }
        if (before != SeenIds.NONE) {
            long[] earlier = entry(before, word, second);
            for (int w = 0; w < layout.windows.length; w++) {
                int size = layout.windows[w];
                boolean was = !within(before, after, size);
                earlier[entryAt + layout.last(distinct, w)] -= was && within(before, number, size) ? 1 : 0;
            }
        }
        if (after != SeenIds.NONE) {
            long[] later = entry(after, word, second);
            for (int w = 0; w < layout.windows.length; w++) {
                int size = layout.windows[w];
                boolean was = !within(before, after, size);
                later[entryAt + layout.fresh(distinct, w)] -= was && within(number, after, size) ? 1 : 0;
            }
        }
    }

    /** Whether one window of that size can contain both panes. */
    private static boolean within(long earlier, long later, int size) {
        return earlier != SeenIds.NONE && later != SeenIds.NONE && later - earlier < size;
    }

    /** Returns a key's values in a pane that contains it, for writing; they begin at {@link #entryAt}. */
    private long[] entry(long number, long word, long second) {
        KeyedPane pane = panes.get(number);
        if (pane == null || pane.table.add(word, second, 0, 0)) {
            throw new IllegalStateException("pane " + number + " lacks a key that has an id in it");
        }
        WordTable table = pane.table;
        entryAt = table.at() + layout.keyWords;
        return table.words();
    }

    /** Drops ids that were last seen before a pane. */
    void dropBefore(long pane) {
        for (SeenIds ids : seen) {
            ids.dropBefore(pane);
        }
    }

    long bytes() {
        return Arrays.stream(seen).mapToLong(SeenIds::bytes).sum();
    }

    void write(DataOutput out) throws IOException {
        for (SeenIds ids : seen) {
            ids.write(out);
        }
    }

    void read(DataInput in) throws IOException {
        for (SeenIds ids : seen) {
            ids.read(in);
        }
    }
}
