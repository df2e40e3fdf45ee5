package io.thalweg.kernel.hex;

/** The coordinate system of one tile. */
sealed interface TileGeometry permits TileLattice, TileGraph {
    /** Where a cell stands, or -1 if it is farther than the largest ring from every cell of the tile. */
    int place(long cell);

    /** Whether a cell stands there. */
    boolean has(int place);

    /** The cell at a place that {@link #has} one. */
    long cell(int place);
}
