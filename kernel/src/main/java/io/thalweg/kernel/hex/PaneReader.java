package io.thalweg.kernel.hex;

/** Where the counts of a tile's panes come from: the state of the operator. */
@FunctionalInterface
public interface PaneReader {
    /**
     * Adds the counts of one pane, those of neighbouring tiles' cells within the largest ring included.
     *
     * <p>Called with {@code panesBack} ascending from 1; a second time from 1 if the counts of the window together exceed
     * {@code Integer.MAX_VALUE}. A pane without counts adds nothing.
     *
     * @param panesBack 1 for the newest pane of the window (T-1), up to the largest window, and one more
     */
    void read(int panesBack, PlaceCounts into);
}
