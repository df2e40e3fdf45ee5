package io.thalweg.kernel.hex;

import com.uber.h3core.exceptions.H3Exception;
import com.uber.h3core.util.CoordIJ;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the lattice of a tile and proves that it holds. Tiles have few different outlines; each is kept once.
 *
 * <p>H3's local coordinates are a plane only where no pentagon is near. So every cell whose surroundings matter, those nearer
 * to the tile than the largest ring, must have exactly the neighbours that the lattice says.
 */
final class LatticeShapes {
    /** Below, most tiles have a pentagon near, and all tiles together are few. */
    private static final int COARSEST_RESOLUTION = 4;

    private final HexTiling tiling;
    private final int maxRing;
    private final List<LatticeShape> known = new ArrayList<>();

    LatticeShapes(HexTiling tiling, int maxRing) {
        this.tiling = tiling;
        this.maxRing = maxRing;
    }

    /** The lattice of a tile; null where none holds. */
    @Nullable
    TileLattice lattice(long tile) {
        if (tiling.resolution() < COARSEST_RESOLUTION || H3.CORE.isPentagon(tile)) {
            return null;
        }
        try {
            int[] slotPlaces = slotPlaces(tile);
            if (!LatticeShape.fits(slotPlaces, maxRing)) {
                return null;
            }
            TileLattice lattice = new TileLattice(tiling, tile, shape(slotPlaces), maxRing);
            return holds(lattice) ? lattice : null;
        } catch (H3Exception noCoordinates) {
            return null;
        }
    }

    private int[] slotPlaces(long tile) {
        long centre = tiling.cell(tile, 0);
        CoordIJ origin = H3.CORE.cellToLocalIj(centre, centre); // H3 counts from the base cell
        int[] places = new int[tiling.slots()];
        for (int slot = 0; slot < places.length; slot++) {
            CoordIJ at = H3.CORE.cellToLocalIj(centre, tiling.cell(tile, slot));
            places[slot] = LatticeShape.place(at.i - origin.i, at.j - origin.j);
        }
        return places;
    }

    private LatticeShape shape(int[] slotPlaces) {
        for (LatticeShape shape : known) {
            if (Arrays.equals(shape.slotPlaces, slotPlaces)) {
                return shape;
            }
        }
        LatticeShape shape = LatticeShape.of(slotPlaces, maxRing);
        known.add(shape);
        return shape;
    }

    private boolean holds(TileLattice lattice) {
        LatticeShape shape = lattice.shape();
        long[] cells = new long[shape.distances.length];
        for (int at = 0; at < cells.length; at++) {
            if (shape.distances[at] <= maxRing) {
                cells[at] = lattice.cellAt(at);
                if (shape.slots[at] < 0 && shape.index(Math.max(0, lattice.place(cells[at]))) != at) {
                    return false;
                }
            }
        }
        for (int at = 0; at < cells.length; at++) {
            // Neighbours along (1,0), (0,1), (1,1) differ in (i + j) mod 3 by 1, 1, 2: to look at two of three colours
            // is to
            // meet every pair of neighbours, and a cell of the third whose six pairs are met has no others. At the rim,
            // where
            // the outer neighbours are not looked at themselves, all are needed.
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
