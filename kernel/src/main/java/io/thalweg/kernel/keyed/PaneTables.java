package io.thalweg.kernel.keyed;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The panes of a shard by number: those still open, and those that a window still needs. */
final class PaneTables {
    /** Entries that a new pane reserves room for at most, where the pane before it has as many. */
    private static final int RESERVED_MOST = 1 << 15;

    private final Layout layout;
    private final TreeMap<Long, KeyedPane> panes = new TreeMap<>();

    PaneTables(Layout layout) {
        this.layout = layout;
    }

    PaneTables copy() {
        PaneTables copy = new PaneTables(layout);
        panes.forEach((number, pane) -> copy.panes.put(number, pane.copy()));
        return copy;
    }

    @Nullable
    KeyedPane get(long number) {
        return panes.get(number);
    }

    /**
     * A pane, created where it is missing.
     *
     * @param expected keys it may get, beside those of the pane before it
     */
    KeyedPane open(long number, long expected) {
        KeyedPane pane = panes.get(number);
        if (pane == null) {
            pane = KeyedPane.empty(layout);
            pane.table.reserve(Math.min(RESERVED_MOST, Math.max(size(number - 1), expected)));
            panes.put(number, pane);
        }
        return pane;
    }

    /** Keys of a pane. */
    long size(long number) {
        KeyedPane pane = panes.get(number);
        return pane == null ? 0 : pane.table.size();
    }

    /** The panes {@code [from, to)} that exist. */
    KeyedPane[] range(long from, long to) {
        return panes.subMap(from, to).values().toArray(KeyedPane[]::new);
    }

    /** The number of the first pane at or after {@code from}. */
    @Nullable
    Long firstFrom(long from) {
        return panes.ceilingKey(from);
    }

    void dropBefore(long number) {
        panes.headMap(number).clear();
    }

    /** Keys of all panes, each counted once per pane. */
    long entries() {
        return panes.values().stream().mapToLong(pane -> pane.table.size()).sum();
    }

    long bytes() {
        return panes.values().stream().mapToLong(KeyedPane::bytes).sum();
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(panes.size());
        for (Map.Entry<Long, KeyedPane> entry : panes.entrySet()) {
            out.writeLong(entry.getKey());
            entry.getValue().write(out);
        }
    }

    void read(DataInput in) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            panes.put(in.readLong(), KeyedPane.read(in, layout));
        }
    }
}
