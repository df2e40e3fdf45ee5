package io.thalweg.kernel.hex;

import io.thalweg.kernel.pane.PlaceCounts;

/** Where the counts of a tile's panes come from: the state of the operator. */
@FunctionalInterface
public interface PaneReader {
    /**
     * The counts of one pane, at places as given by {@link TileFeatures#place} for this tile; those of neighbouring tiles'
     * cells within the largest ring included.
     *
     * <p>May be asked for more than once.
     *
     * @param panesBack 1 for the newest pane of the window (T-1), up to the largest window, and one more
     * @return {@link PlaceCounts#NONE} for a pane without counts
     */
    PlaceCounts pane(int panesBack);
}
