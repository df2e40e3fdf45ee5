package io.thalweg.kernel.keyed;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The panes of a shard by number: the open ones, and those that a window still needs. */
final class PaneTables {
    /** The maximum number of entries that a new pane reserves room for. */
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
     * Returns a pane, which is created if it is missing.
     *
     * @param expected an estimate of its number of keys, besides the size of the previous pane
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

    /** The number of keys of a pane. */
    long size(long number) {
        KeyedPane pane = panes.get(number);
        return pane == null ? 0 : pane.table.size();
    }

    /** Returns the panes {@code [from, to)} that exist. */
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

    /** The number of keys of all panes, each counted once per pane. */
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
