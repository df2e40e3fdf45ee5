package io.thalweg.kernel.hex;

/** Takes the counts of one pane. */
public interface PlaceCounts {
    /**
     * Adds {@code counts[n]} at {@code places[n]} for all {@code n < length}; a place may occur more than once.
     *
     * @param places as given by {@link TileFeatures#place} for this tile
     * @param counts each at least 0
     * @throws IllegalArgumentException if a count is negative
     * @throws IndexOutOfBoundsException if a place is none of this tile
     */
    void add(int[] places, int[] counts, int length);
}
