package io.thalweg.kernel.hex;

import com.uber.h3core.util.LatLng;
import java.util.List;

/**
 * The positions of the cells of tiles, on the plane lattice of their tile and on the earth, for programs that draw hexagons
 * without H3.
 *
 * <p><b>Shape.</b> Lattice coordinates {@code (i, j)} are axial around the tile's centre child: the neighbours of a cell are at
 * {@code ±(1, 0)}, {@code ±(0, 1)} and {@code ±(1, 1)}. All tiles of a resolution that have a lattice have the same coordinates by
 * slot.
 *
 * <p><b>Units.</b> Degrees; latitudes in [-90, 90], longitudes in [-180, 180].
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class TilePositions {
    /** Only the tile's own cells matter here. */
    private static final int NO_RING = 0;

    private final HexTiling tiling;
    private final LatticeShapes shapes;
    private final int[] positions;

    /** Creates the positions of a tiling's cells. */
    public TilePositions(HexTiling tiling) {
        this.tiling = tiling;
        shapes = new LatticeShapes(tiling, NO_RING);
        positions = LatticeShape.slotPositions(tiling);
    }

    /** A point on the earth. */
    public record Point(double latDeg, double lngDeg) {
        static Point of(LatLng point) {
            return new Point(point.lat, point.lng);
        }
    }

    /** The tiling. */
    public HexTiling tiling() {
        return tiling;
    }

    /** The first lattice coordinate of a slot. */
    public int i(int slot) {
        return LatticeShape.i(positions[slot]);
    }

    /** The second lattice coordinate of a slot. */
    public int j(int slot) {
        return LatticeShape.j(positions[slot]);
    }

    /** Whether the cells of a tile are a plane lattice; false for the tiles of pentagons and for resolutions below 4. */
    public boolean isLattice(long tile) {
        return shapes.lattice(tile) != null;
    }

    /** Returns the centre of a cell of any resolution. */
    public static Point centre(long cell) {
        return Point.of(H3.CORE.cellToLatLng(cell));
    }

    /** Returns the corners of a cell of any resolution in order: six, or more if an edge of the icosahedron crosses the cell. */
    public static List<Point> corners(long cell) {
        return H3.CORE.cellToBoundary(cell).stream().map(Point::of).toList();
    }
}
