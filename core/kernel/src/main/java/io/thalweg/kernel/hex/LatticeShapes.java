package io.thalweg.kernel.hex;

import com.uber.h3core.exceptions.H3Exception;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lattice of a tile. All tiles of a resolution that have a lattice have the same outline, so it is computed once, from
 * the digits of the cells.
 *
 * <p>H3's local coordinates are a plane except near a pentagon. A tile is assumed to be a lattice if no pentagon can be within
 * the largest ring of it; {@code LatticeShapesTest} proves this for all tiles of several resolutions. The few tiles that a
 * pentagon may reach are checked individually: every cell nearer to the tile than the largest ring must have exactly the
 * neighbours that the lattice has.
 *
 * <p><b>Cost.</b> A few microseconds per tile; about ten milliseconds for one that must be checked.
 */
final class LatticeShapes {
    /** At coarser resolutions, most tiles have a pentagon nearby, and there are few tiles in total. */
    private static final int COARSEST_RESOLUTION = 4;

    private final HexTiling tiling;
    private final int maxRing;
    /** Null if no tile has a lattice. */
    private final @Nullable LatticeShape shape;
    /** The maximum distance, in tiles, of a pentagon that may be within the largest ring of a tile. */
    private final int pentagonReach;

    LatticeShapes(HexTiling tiling, int maxRing) {
        this.tiling = tiling;
        this.maxRing = maxRing;
        int[] slotPositions = LatticeShape.slotPositions(tiling);
        boolean fits = tiling.resolution() >= COARSEST_RESOLUTION && LatticeShape.fits(slotPositions, maxRing);
        this.shape = fits ? LatticeShape.of(slotPositions, maxRing) : null;
        this.pentagonReach = pentagonReach(tiling, slotPositions, maxRing);
    }

    /*
     * The centres of tiles k steps apart are at least k * sqrt(3)/2 * sqrt(slots) cells apart as the crow flies, and a path from
     * cell to cell has at least that many steps. A pentagon is the centre of its tile.
     */
    private static int pentagonReach(HexTiling tiling, int[] slotPositions, int maxRing) {
        int radius = Arrays.stream(slotPositions)
                .map(position -> LatticeShape.distance(LatticeShape.i(position), LatticeShape.j(position)))
                .max()
                .orElseThrow();
        return (int) ((radius + maxRing) / Math.sqrt(0.75 * tiling.slots()));
    }

    /** Returns the lattice of a tile, or null if it has none. */
    @Nullable
    TileLattice lattice(long tile) {
        if (shape == null || H3.CORE.isPentagon(tile)) {
            return null;
        }
        TileLattice lattice = new TileLattice(tiling, tile, shape, maxRing);
        return !needsProof(tile) || holds(lattice) ? lattice : null;
    }

    private boolean needsProof(long tile) {
        if (pentagonReach == 0) {
            return false;
        }
        // H3 has no coordinates beyond the neighbours of a base cell.
        return tiling.tileResolution() == 0
                || Arrays.stream(HexTiling.disk(tile, pentagonReach)).anyMatch(H3.CORE::isPentagon);
    }

    /** Whether the surroundings of a tile match its lattice, checked cell by cell. */
    static boolean holds(TileLattice lattice) {
        try {
            return cellsHold(lattice);
        } catch (H3Exception noCoordinates) {
            return false;
        }
    }

    private static boolean cellsHold(TileLattice lattice) {
        LatticeShape shape = lattice.shape();
        int maxRing = lattice.maxRing();
        long[] cells = new long[shape.distances.length];
        for (int at = 0; at < cells.length; at++) {
            if (shape.distances[at] <= maxRing) {
                cells[at] = lattice.cellAt(at);
                if (shape.slots[at] < 0 && shape.index(Math.max(0, lattice.position(cells[at]))) != at) {
                    return false;
                }
            }
        }
        for (int at = 0; at < cells.length; at++) {
            // Neighbours along (1,0), (0,1), (1,1) differ in (i + j) mod 3 by 1, 1, 2. Checking two of the three
            // colours therefore covers every pair of neighbours, and a cell of the third whose six pairs are covered
            // has no others. At the rim, where the outer neighbours are not checked themselves, all cells are needed.
            boolean needed = (at % shape.width + at / shape.width) % 3 != 0 || shape.distances[at] == maxRing - 1;
            if (needed && shape.distances[at] < maxRing && !neighboursHold(shape, cells, at)) {
                return false;
            }
        }
        return true;
    }

    private static boolean neighboursHold(LatticeShape shape, long[] cells, int at) {
        List<Long> disk = H3.CORE.gridDisk(cells[at], 1);
        int[] steps = shape.steps();
        if (disk.size() != 1 + steps.length) {
            return false;
        }
        for (int step : steps) {
            if (!disk.contains(cells[at + step])) {
                return false;
            }
        }
        return true;
    }
}
