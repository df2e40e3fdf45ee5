package io.thalweg.kernel.hex;

/** The coordinate system of one tile. */
sealed interface TileGeometry permits TileLattice, TileGraph {
    /** Returns the position of a cell, or -1 if it is farther than the largest ring from every cell of the tile. */
    int position(long cell);

    /** Whether there is a cell at a position. */
    boolean has(int position);

    /** Returns the cell at a position that {@link #has} one. */
    long cell(int position);
}
