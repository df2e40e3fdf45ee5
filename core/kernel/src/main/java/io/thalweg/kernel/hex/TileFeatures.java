package io.thalweg.kernel.hex;

import io.thalweg.kernel.pane.PositionCounts;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Computes the features of a tile at a window end: for each of its cells, rings and windows the sum of all counts within the disk
 * and the panes of the window.
 *
 * <p><b>Shape.</b> Counts are read pane by pane, newest first, and added into a scratch lattice; the disk sums of all rings are
 * computed for all windows at once. Rings and windows ascend; a row has {@code rings * windows} sums, rings outer.
 *
 * <p><b>Which rows.</b> A cell has a row iff any of its sums is non-zero, and one more, all zeros, at the first window end
 * where all are zero again.
 *
 * <p><b>Cost.</b> Only the bounding box of non-zero counts, extended by the largest ring, is touched. The first use of a tile
 * computes and caches its geometry: a few microseconds, but a fifth of a second for each of the twelve tiles with a pentagon.
 *
 * <p><b>Threads.</b> Not safe to share: one per operator thread, with about 10 MB of scratch memory.
 */
public final class TileFeatures {
    private static final int MAX_TILES = 16_384;

    private final HexTiling tiling;
    private final int maxRing;
    private final LatticeShapes shapes;
    private final LatticeSums latticeSums;
    private final GraphSums graphSums;
    private final LatticeKernel kernel;
    private final TileRows rows;
    private final LinkedHashMap<Long, TileGeometry> geometries = new LinkedHashMap<>(256, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, TileGeometry> eldest) {
            return size() > MAX_TILES;
        }
    };
    private long lastTile;
    private TileGeometry lastGeometry = TileGraph.NOWHERE;

    /**
     * Creates the computation for one view.
     *
     * @param rings radii of the disks as grid distance, at least 0, ascending; copied
     * @param windowPanes lengths of the windows in panes, at least 1, ascending; copied
     * @throws IllegalArgumentException if a ring or window is out of range or order; the message names its index
     */
    public TileFeatures(HexTiling tiling, int[] rings, int[] windowPanes) {
        this(tiling, rings, windowPanes, LatticeKernel.fastest());
    }

    TileFeatures(HexTiling tiling, int[] rings, int[] windowPanes, LatticeKernel kernel) {
        requireAscending("rings", rings, 0);
        requireAscending("windowPanes", windowPanes, 1);
        this.tiling = tiling;
        this.maxRing = rings[rings.length - 1];
        this.kernel = kernel;
        this.shapes = new LatticeShapes(tiling, maxRing);
        this.rows = new TileRows(tiling, rings.clone(), windowPanes.length);
        this.latticeSums = new LatticeSums(tiling, rings.clone(), windowPanes.clone(), kernel);
        this.graphSums = new GraphSums(tiling, rings.clone(), windowPanes.clone());
    }

    /**
     * Returns the position of a cell in a tile's coordinates: a pure function of tiling, largest ring, tile and cell, so it may be
     * stored in state.
     *
     * @param cell a valid cell of the tiling's resolution
     * @return at least 0, or -1 if the cell is farther than the largest ring from every cell of the tile
     */
    public int position(long tile, long cell) {
        return geometry(tile).position(cell);
    }

    /**
     * Converts counts that were kept for a larger maximum ring to the positions of this one. Counts that no disk reaches any more are
     * dropped.
     *
     * @param before the instance that assigned the positions of the counts; its largest ring is at least this one's
     */
    public PositionCounts shrunk(long tile, PositionCounts kept, TileFeatures before) {
        TileGeometry from = before.geometry(tile);
        TileGeometry to = geometry(tile);
        if (from.getClass() == to.getClass()) {
            return kept.at(to::has); // positions do not depend on the largest ring
        }
        // Only the larger ring reached a pentagon, so only one of the two geometries is a lattice.
        return kept.moved(position -> to.position(from.cell(position)));
    }

    /**
     * Computes the rows of a tile at the window end just after the newest pane.
     *
     * @return the rows, valid until the next call
     */
    public TileRows assemble(long tile, PaneReader panes) {
        assemble(tile, panes, rows);
        return rows;
    }

    /** Computes the same rows and passes each to a sink as it is computed. */
    public void assemble(long tile, PaneReader panes, RowSink sink) {
        sink.begin(tile);
        TileGeometry geometry = geometry(tile);
        if (geometry instanceof TileLattice lattice) {
            latticeSums.assemble(lattice, panes, sink);
        } else {
            graphSums.assemble((TileGraph) geometry, panes, sink);
        }
    }

    /** The row loop in use: {@code scalar}, or {@code vector} with the module {@code jdk.incubator.vector}. */
    public String rowLoop() {
        return kernel.name();
    }

    private TileGeometry geometry(long tile) {
        if (tile != lastTile) {
            lastGeometry = geometries.computeIfAbsent(tile, this::compute);
            lastTile = tile;
        }
        return lastGeometry;
    }

    private TileGeometry compute(long tile) {
        TileLattice lattice = shapes.lattice(tile);
        return lattice != null ? lattice : new TileGraph(tiling, tile, maxRing);
    }

    private static void requireAscending(String name, int[] values, int least) {
        if (values.length == 0) {
            throw new IllegalArgumentException(name + " must not be empty");
        }
        for (int i = 0; i < values.length; i++) {
            int smallest = i == 0 ? least : values[i - 1] + 1;
            if (values[i] < smallest) {
                throw new IllegalArgumentException(
                        "%s[%d] must be at least %d (ascending), was %d".formatted(name, i, smallest, values[i]));
            }
        }
    }
}
