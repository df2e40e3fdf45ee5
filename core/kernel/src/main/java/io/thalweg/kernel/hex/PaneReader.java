package io.thalweg.kernel.hex;

import io.thalweg.kernel.pane.PositionCounts;

/** Reads the counts of a tile's panes from the state of the operator. */
@FunctionalInterface
public interface PaneReader {
    /**
     * Returns the counts of one pane, at positions as given by {@link TileFeatures#position} for this tile, including those of
     * neighbouring tiles' cells within the largest ring.
     *
     * <p>May be called more than once for a pane.
     *
     * @param panesBack 1 for the newest pane of the window (T-1), up to the largest window, and one more
     * @return {@link PositionCounts#NONE} for a pane without counts
     */
    PositionCounts pane(int panesBack);
}
