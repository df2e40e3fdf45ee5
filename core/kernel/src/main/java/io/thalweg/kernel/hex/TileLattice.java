package io.thalweg.kernel.hex;

import com.uber.h3core.exceptions.H3Exception;
import com.uber.h3core.util.CoordIJ;

/** A tile that, with its surroundings, is a plane lattice. */
final class TileLattice implements TileGeometry {
    private final HexTiling tiling;
    private final long tile;
    private final long centre;
    private final CoordIJ origin;
    private final LatticeShape shape;
    private final int maxRing;

    TileLattice(HexTiling tiling, long tile, LatticeShape shape, int maxRing) {
        this.tiling = tiling;
        this.tile = tile;
        this.centre = tiling.cell(tile, 0);
        this.origin = H3.CORE.cellToLocalIj(centre, centre);
        this.shape = shape;
        this.maxRing = maxRing;
    }

    LatticeShape shape() {
        return shape;
    }

    int maxRing() {
        return maxRing;
    }

    @Override
    public boolean has(int position) {
        return shape.contains(LatticeShape.i(position), LatticeShape.j(position))
                && shape.distances[shape.index(position)] <= maxRing;
    }

    @Override
    public long cell(int position) {
        return cellAt(shape.index(position));
    }

    /** Returns the cell at a lattice index. */
    long cellAt(int index) {
        int slot = shape.slots[index];
        if (slot >= 0) {
            return tiling.cell(tile, slot);
        }
        int i = index % shape.width + shape.firstI;
        int j = index / shape.width + shape.firstJ;
        return H3.CORE.localIjToCell(centre, new CoordIJ(origin.i + i, origin.j + j));
    }

    @Override
    public int position(long cell) {
        return tiling.tile(cell) == tile ? shape.slotPositions[tiling.slot(cell)] : foreignPosition(cell);
    }

    private int foreignPosition(long cell) {
        try {
            CoordIJ at = H3.CORE.cellToLocalIj(centre, cell);
            int i = at.i - origin.i;
            int j = at.j - origin.j;
            int position = shape.contains(i, j) ? LatticeShape.position(i, j) : -1;
            // Beyond a pentagon coordinates may be wrong, so they are used only if they lead back to the cell.
            return position >= 0 && has(position) && cell(position) == cell ? position : -1;
        } catch (H3Exception tooFar) {
            return -1;
        }
    }
}
