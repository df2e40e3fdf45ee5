package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Spill;
import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** One pane of a shard: the values of each key and, if early rows are enabled, the keys changed since the last ones. */
final class KeyedPane {
    final WordTable table;
    final Spill spill;
    private WordTable changed;

    private KeyedPane(WordTable table, Spill spill, WordTable changed) {
        this.table = table;
        this.spill = spill;
        this.changed = changed;
    }

    static KeyedPane empty(Layout layout) {
        return new KeyedPane(
                new WordTable(layout.keyWords, layout.paneWords), new Spill(), new WordTable(layout.keyWords, 0));
    }

    KeyedPane copy() {
        return new KeyedPane(table.copy(), spill.copy(), changed.copy());
    }

    void change(long word, long second) {
        changed.add(word, second, 0, 0);
    }

    boolean hasChanges() {
        return !changed.isEmpty();
    }

    /** Returns and clears the changed keys. */
    WordTable takeChanges(Layout layout) {
        WordTable taken = changed;
        changed = new WordTable(layout.keyWords, 0);
        return taken;
    }

    long bytes() {
        return table.bytes() + changed.bytes();
    }

    void write(DataOutput out) throws IOException {
        table.write(out);
        spill.write(out);
        changed.write(out);
    }

    static KeyedPane read(DataInput in, Layout layout) throws IOException {
        WordTable table = WordTable.read(in, layout.keyWords, layout.paneWords);
        Spill spill = Spill.read(in);
        return new KeyedPane(table, spill, WordTable.read(in, layout.keyWords, 0));
    }
}
