package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.Mix;
import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Records which ids of which keys were seen in which panes, for one distinct count.
 *
 * <p><b>Shape.</b> Panes are grouped into epochs of up to 64. An epoch has a table of (key, id) with a bit for each of its panes.
 * It is dropped as a whole when no window can contain any of them.
 *
 * <p><b>Threads.</b> As {@link WordTable}.
 */
final class SeenIds {
    /** Not seen within the largest window. */
    static final long NONE = Long.MIN_VALUE;

    private final int keyWords;
    private final int idWords;
    private final int largestPanes;
    private final int epochPanes;
    private final TreeMap<Long, WordTable> epochs = new TreeMap<>();

    private long word;
    private long second;
    private long third;
    private long fourth;
    private long bits;

    SeenIds(int keyWords, int idWords, int largestPanes) {
        this.keyWords = keyWords;
        this.idWords = idWords;
        this.largestPanes = largestPanes;
        this.epochPanes = Math.min(Long.SIZE, Integer.highestOneBit(2 * largestPanes - 1));
    }

    SeenIds copy() {
        SeenIds copy = new SeenIds(keyWords, idWords, largestPanes);
        epochs.forEach((epoch, table) -> copy.epochs.put(epoch, table.copy()));
        return copy;
    }

    /** Records that an id was seen; returns whether it is the first time for this key and id in the pane. */
    boolean add(long pane, long keyWord, long keySecond, long idHigh, long idLow) {
        key(keyWord, keySecond, idHigh, idLow);
        WordTable table = epochs.computeIfAbsent(Math.floorDiv(pane, epochPanes), epoch -> table());
        long bit = 1L << Math.floorMod(pane, epochPanes);
        boolean known = table.find(word, second, third, fourth);
        if (epochPanes == 1) {
            return !known && table.add(word, second, third, fourth);
        }
        int value = table.at() + keyWords + idWords;
        if (known && (table.words()[value] & bit) != 0) {
            return false;
        }
        table.add(word, second, third, fourth);
        bits = table.words()[table.at() + keyWords + idWords] |= bit;
        return true;
    }

    /** The previous pane in which the id added last was seen, within the largest window, or {@link #NONE}. */
    long before(long pane) {
        long epoch = Math.floorDiv(pane, epochPanes);
        long earlier = bits & ((1L << Math.floorMod(pane, epochPanes)) - 1);
        long oldest = pane - largestPanes + 1;
        while (earlier == 0 && epoch * epochPanes > oldest) {
            epoch--;
            earlier = bitsIn(epoch);
        }
        long found = epoch * epochPanes + 63 - Long.numberOfLeadingZeros(earlier);
        return earlier == 0 || found < oldest ? NONE : found;
    }

    /** The next pane in which the id added last was seen, within the largest window, or {@link #NONE}. */
    long after(long pane) {
        long epoch = Math.floorDiv(pane, epochPanes);
        long later = bits & -2L << Math.floorMod(pane, epochPanes);
        long newest = pane + largestPanes - 1;
        while (later == 0 && (epoch + 1) * epochPanes <= newest && !epochs.isEmpty() && epoch < epochs.lastKey()) {
            epoch++;
            later = bitsIn(epoch);
        }
        long found = epoch * epochPanes + Long.numberOfTrailingZeros(later);
        return later == 0 || found > newest ? NONE : found;
    }

    private long bitsIn(long epoch) {
        WordTable table = epochs.get(epoch);
        return table != null && table.find(word, second, third, fourth)
                ? table.words()[table.at() + keyWords + idWords]
                : 0;
    }

    /** Sets the words of a table entry: the id is mixed into the first word, and follows with the rest of the key. */
    private void key(long keyWord, long keySecond, long idHigh, long idLow) {
        word = Mix.pair(keyWord, idLow ^ Mix.mix(idHigh));
        boolean wide = keyWords == 2;
        second = wide ? keySecond : idLow;
        third = wide ? idLow : idWords == 2 ? idHigh : 0;
        fourth = wide && idWords == 2 ? idHigh : 0;
    }

    private WordTable table() {
        return new WordTable(keyWords + idWords, epochPanes == 1 ? 0 : 1);
    }

    /** Drops the epochs whose panes are all before {@code pane}. */
    void dropBefore(long pane) {
        epochs.headMap(Math.floorDiv(pane, epochPanes)).clear();
    }

    long bytes() {
        return epochs.values().stream().mapToLong(WordTable::bytes).sum();
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(epochs.size());
        for (Map.Entry<Long, WordTable> epoch : epochs.entrySet()) {
            out.writeLong(epoch.getKey());
            epoch.getValue().write(out);
        }
    }

    void read(DataInput in) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            epochs.put(in.readLong(), WordTable.read(in, keyWords + idWords, epochPanes == 1 ? 0 : 1));
        }
    }
}
