package io.thalweg.kernel.keyed;

import io.thalweg.kernel.table.WordTable;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The changed keys of a shard whose early rows are being emitted, range by range. */
final class EarlyRows {
    private final Layout layout;
    private final PaneTables panes;
    private final KeyRanges ranges;
    /** Null if no early rows are in progress. */
    private @Nullable WordTable keys;

    private long end;

    EarlyRows(Layout layout, PaneTables panes) {
        this(layout, panes, new KeyRanges(), null, 0);
    }

    private EarlyRows(Layout layout, PaneTables panes, KeyRanges ranges, @Nullable WordTable keys, long end) {
        this.layout = layout;
        this.panes = panes;
        this.ranges = ranges;
        this.keys = keys;
        this.end = end;
    }

    EarlyRows copy(PaneTables copiedPanes) {
        return new EarlyRows(layout, copiedPanes, ranges.copy(), keys == null ? null : keys.copy(), end);
    }

    /** The window end of the rows. */
    long end() {
        return end;
    }

    /**
     * Begins the early rows of the keys that changed in the pane before a window end. Does nothing if those of the same end are in
     * progress, or no key has changed.
     */
    void begin(long windowEnd) {
        KeyedPane pane = panes.get(windowEnd - 1);
        if ((keys != null && end == windowEnd) || pane == null || !pane.hasChanges()) {
            return;
        }
        keys = pane.takeChanges(layout);
        end = windowEnd;
        ranges.begin(keys.size());
    }

    /** Emits one range of keys; returns false if none are left, or if the window end is before {@code closedBefore}. */
    boolean emit(long closedBefore, LongFunction<OpenWindowReader> readers, KeyedRows rows) {
        WordTable changed = keys;
        if (changed == null || end < closedBefore) {
            keys = null;
            return false;
        }
        OpenWindowReader live = readers.apply(end);
        WordTable.Cursor each = ranges.of(changed);
        while (each.next()) {
            boolean unused = live.read(each.words()[each.at()], layout.second(each.words(), each.at()), rows);
        }
        if (!ranges.advance()) {
            keys = null;
        }
        return true;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(end);
        (keys == null ? new WordTable(layout.keyWords, 0) : keys).write(out);
    }

    /** Restores the state. Keys whose early rows may not all have been emitted count as changed again. */
    void read(DataInput in) throws IOException {
        end = in.readLong();
        WordTable unpublished = WordTable.read(in, layout.keyWords, 0);
        KeyedPane pane = panes.get(end - 1);
        if (pane != null) {
            for (WordTable.Cursor each = unpublished.all(); each.next(); ) {
                pane.change(each.words()[each.at()], layout.second(each.words(), each.at()));
            }
        }
    }
}
