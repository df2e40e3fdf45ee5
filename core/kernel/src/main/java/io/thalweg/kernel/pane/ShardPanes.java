package io.thalweg.kernel.pane;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The open panes of one shard, and the pane up to which panes are closed. This is the state of accumulation.
 *
 * <p><b>Threads.</b> As {@link OpenPane}.
 */
public final class ShardPanes {
    private final int slots;
    private final TreeMap<Long, OpenPane> open = new TreeMap<>();
    private long closedBefore;

    /**
     * Creates a shard without open panes.
     *
     * @param slots the number of cells in a tile
     * @param closedBefore panes below this one are closed
     */
    public ShardPanes(int slots, long closedBefore) {
        this.slots = slots;
        this.closedBefore = closedBefore;
    }

    /** Returns a copy that shares the segments of the tables. */
    public ShardPanes copy() {
        ShardPanes copy = new ShardPanes(slots, closedBefore);
        open.forEach((pane, tables) -> copy.open.put(pane, tables.copy()));
        return copy;
    }

    /** Whether a pane is closed, so that events that still arrive for it do not count. */
    public boolean isClosed(long pane) {
        return pane < closedBefore;
    }

    /** Returns the tables of a pane that is not closed, which is opened on first use. */
    public OpenPane pane(long pane) {
        return open.computeIfAbsent(pane, p -> new OpenPane(slots));
    }

    /** The pane below which all panes are closed. */
    public long closedBefore() {
        return closedBefore;
    }

    /** The current count of a cell in a pane; 0 if the pane is not open. */
    public long count(long pane, TileGroup tileGroup, int slot) {
        OpenPane tables = open.get(pane);
        return tables == null ? 0 : tables.count(tileGroup, slot);
    }

    /** Closes the oldest open pane below {@code end} and returns its slices, or an empty list if no such pane is left. */
    public List<PaneSlice> closeOldest(long end) {
        Map.Entry<Long, OpenPane> oldest = open.firstEntry();
        if (oldest == null || oldest.getKey() >= end) {
            closedBefore = Math.max(closedBefore, end);
            return List.of();
        }
        open.pollFirstEntry();
        closedBefore = Math.max(closedBefore, oldest.getKey() + 1);
        return oldest.getValue().slices(oldest.getKey());
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** The number of bytes of the tables. */
    public long bytes() {
        return open.values().stream().mapToLong(OpenPane::bytes).sum();
    }

    /** Writes all panes. */
    public void write(DataOutput out) throws IOException {
        out.writeInt(slots);
        out.writeLong(closedBefore);
        out.writeInt(open.size());
        for (Map.Entry<Long, OpenPane> entry : open.entrySet()) {
            out.writeLong(entry.getKey());
            entry.getValue().write(out);
        }
    }

    /** Reads what {@link #write} wrote. */
    public static ShardPanes read(DataInput in) throws IOException {
        int slots = in.readInt();
        ShardPanes panes = new ShardPanes(slots, in.readLong());
        for (int left = in.readInt(); left > 0; left--) {
            long pane = in.readLong();
            panes.open.put(pane, OpenPane.read(in, slots));
        }
        return panes;
    }
}
