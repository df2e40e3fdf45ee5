package io.thalweg.kernel.hex;

/** The coordinate system of one tile. */
sealed interface TileGeometry permits TileLattice, TileGraph {
    /** Returns the place of a cell, or -1 if it is farther than the largest ring from every cell of the tile. */
    int place(long cell);

    /** Whether there is a cell at a place. */
    boolean has(int place);

    /** Returns the cell at a place that {@link #has} one. */
    long cell(int place);
}
