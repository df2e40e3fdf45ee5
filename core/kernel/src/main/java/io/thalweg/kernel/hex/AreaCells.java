package io.thalweg.kernel.hex;

import com.uber.h3core.util.LatLng;
import java.util.Arrays;
import java.util.Optional;

/**
 * Finds the cells of one resolution whose centres are in an area.
 *
 * <p><b>Cost.</b> Only the centres of cells near the border of the area are computed; the cells inside are enumerated.
 */
public final class AreaCells {
    /*
     * The search descends the tree of cells from the base cells. The centres of all descendants of a cell are within a distance
     * of its own centre that shrinks by the root of 7 from level to level. If the border of the area does not pass through the
     * box around them, all of them are on the same side of it as the centre of the cell.
     */

    /** The maximum distance, in degrees, from the centre of a base cell to that of a descendant. AreaCellsTest measures it. */
    static final double REACH_DEG = 17;

    private static final double LEVEL_SHRINKS = Math.sqrt(7);
    /** Bounds the visited cells, because a sliver has many cells along its border and few inside. */
    private static final int LOOKS_PER_CELL = 4;

    private static final int LOOKS_MIN = 100_000;

    private final GeoArea area;
    private final int resolution;
    private final int most;
    private long[] cells = new long[256];
    private int size;
    private int looks;
    private boolean tooMany;

    private AreaCells(GeoArea area, int resolution, int most) {
        this.area = area;
        this.resolution = resolution;
        this.most = most;
    }

    /**
     * Returns the cells in an area, ascending.
     *
     * @param resolution 0 to 15
     * @param most the maximum number of cells
     * @return empty if there are more, or the area is so thin that finding them takes too long
     */
    public static Optional<long[]> in(GeoArea area, int resolution, int most) {
        AreaCells found = new AreaCells(area, resolution, most);
        for (long base : bases()) {
            found.look(base, 0);
        }
        return found.cells();
    }

    /**
     * Returns the descendants of a cell, ascending.
     *
     * @param resolution at least that of {@code parent}
     * @param most the maximum number of cells
     * @return empty if there are more
     */
    public static Optional<long[]> below(long parent, int resolution, int most) {
        int level = HexTiling.resolution(parent);
        if (count(parent, resolution) > most) {
            return Optional.empty();
        }
        AreaCells found = new AreaCells(new GeoBox(-180, -90, 180, 90), resolution, most);
        found.addBelow(parent, level, H3.CORE.isPentagon(parent));
        return found.cells();
    }

    /** Returns the number of descendants of a cell. */
    public static long count(long parent, int resolution) {
        return H3.CORE.cellToChildrenSize(parent, resolution);
    }

    /** Estimates the number of cells in an area. Cells of one resolution differ in size, by a factor of two at most. */
    public static double about(GeoArea area, int resolution) {
        return area.share() * (2 + 120 * Math.pow(7, resolution));
    }

    private static long[] bases() {
        long[] bases = HexTiling.unboxed(H3.CORE.getRes0Cells().stream().toList());
        Arrays.sort(bases);
        return bases;
    }

    private Optional<long[]> cells() {
        return tooMany ? Optional.empty() : Optional.of(Arrays.copyOf(cells, size));
    }

    private void look(long cell, int level) {
        if (tooMany || ++looks > LOOKS_MIN + (long) LOOKS_PER_CELL * most) {
            tooMany = true;
            return;
        }
        LatLng centre = H3.CORE.cellToLatLng(cell);
        if (level < resolution && isBorder(centre, level)) {
            boolean pentagon = H3.CORE.isPentagon(cell);
            for (int digit = 0; digit < 7; digit++) {
                if (digit != 1 || !pentagon) {
                    look(child(cell, level, digit), level + 1);
                }
            }
        } else if (area.contains(centre.lat, centre.lng)) {
            addBelow(cell, level, level < resolution && H3.CORE.isPentagon(cell));
        }
    }

    private boolean isBorder(LatLng centre, int level) {
        double reach = REACH_DEG / Math.pow(LEVEL_SHRINKS, level);
        double south = centre.lat - reach;
        double north = centre.lat + reach;
        if (south <= -90 || north >= 90) {
            return area.borders(-180, Math.max(-90, south), 180, Math.min(90, north));
        }
        double aside =
                Math.toDegrees(Math.asin(Math.sin(Math.toRadians(reach)) / Math.cos(Math.toRadians(centre.lat))));
        return area.borders(centre.lng - aside, south, centre.lng + aside, north);
    }

    private void addBelow(long cell, int level, boolean pentagon) {
        if (tooMany) {
            return;
        }
        if (level == resolution) {
            add(cell);
            return;
        }
        for (int digit = 0; digit < 7; digit++) {
            if (digit != 1 || !pentagon) {
                addBelow(child(cell, level, digit), level + 1, pentagon && digit == 0);
            }
        }
    }

    private void add(long cell) {
        if (size == most) {
            tooMany = true;
            return;
        }
        if (size == cells.length) {
            cells = Arrays.copyOf(cells, (int) Math.min(most, 2L * size));
        }
        cells[size++] = cell;
    }

    private static long child(long cell, int level, int digit) {
        int shift = 3 * (14 - level);
        return (cell & ~(7L << shift) & ~(0xFL << 52)) | ((long) digit << shift) | ((level + 1L) << 52);
    }
}
