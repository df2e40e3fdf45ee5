package io.thalweg.kernel.hex;

import java.util.List;

/**
 * Groups the cells of one H3 resolution into tiles: a tile is the cell five resolutions coarser (or the base cell) and owns
 * its descendants.
 *
 * <p><b>Shape.</b> A cell's position in its tile is its <em>slot</em>: the finer digits of its index read as a number in
 * base 7, {@code 0 .. slots() - 1}. Slots ascend as H3 indexes do. In the twelve tiles that contain a pentagon some slots have
 * no cell. Tile and slot are read from the bits of the index, without lookups.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 *
 * <p><b>Source.</b> H3's index layout: 4 bits of resolution from bit 52, then 7 of base cell, then fifteen digits of 3 bits,
 * the coarsest first, 7 where unused.
 */
public final class HexTiling {
    private static final int MAX_RESOLUTION = 15;
    private static final int MAX_LEVELS = 5;
    private static final int RESOLUTION_SHIFT = 52;
    private static final long RESOLUTION_MASK = 0xFL << RESOLUTION_SHIFT;

    private final int resolution;
    private final int tileResolution;
    private final int slots;
    private final long finerDigits;
    private final long tileResolutionBits;
    private final long cellResolutionBits;
    private final int unusedShift;

    private HexTiling(int resolution) {
        this.resolution = resolution;
        this.tileResolution = Math.max(0, resolution - MAX_LEVELS);
        int levels = resolution - tileResolution;
        this.slots = power7(levels);
        this.unusedShift = 3 * (MAX_RESOLUTION - resolution);
        this.finerDigits = ((1L << (3 * levels)) - 1) << unusedShift;
        this.tileResolutionBits = (long) tileResolution << RESOLUTION_SHIFT;
        this.cellResolutionBits = (long) resolution << RESOLUTION_SHIFT;
    }

    /**
     * Returns the tiling of one resolution.
     *
     * @throws IllegalArgumentException unless {@code 0 <= resolution <= 15}
     */
    public static HexTiling of(int resolution) {
        if (resolution < 0 || resolution > MAX_RESOLUTION) {
            throw new IllegalArgumentException("resolution must lie in 0..15, was " + resolution);
        }
        return new HexTiling(resolution);
    }

    /** The resolution of the cells. */
    public int resolution() {
        return resolution;
    }

    /** The resolution of the tiles. */
    public int tileResolution() {
        return tileResolution;
    }

    /** The number of slots of a tile: 7 to the power of the levels between tile and cell. */
    public int slots() {
        return slots;
    }

    /**
     * Returns the cell that contains a point.
     *
     * @param latDeg degrees, in [-90, 90]
     * @param lngDeg degrees, in [-180, 180]
     */
    public long cell(double latDeg, double lngDeg) {
        return H3.CORE.latLngToCell(latDeg, lngDeg, resolution);
    }

    /** Returns the tile that owns a cell of this resolution. */
    public long tile(long cell) {
        return (cell & ~RESOLUTION_MASK) | tileResolutionBits | finerDigits;
    }

    /** Returns the slot of a cell of this resolution in its tile. */
    public int slot(long cell) {
        int slot = 0;
        for (int shift = unusedShift + 3 * (resolution - tileResolution) - 3; shift >= unusedShift; shift -= 3) {
            slot = slot * 7 + ((int) (cell >>> shift) & 7);
        }
        return slot;
    }

    /** Returns the cell at a slot of a tile; not a valid cell if a pentagon's tile has none there. */
    public long cell(long tile, int slot) {
        long digits = 0;
        int rest = slot;
        for (int shift = unusedShift; shift < unusedShift + 3 * (resolution - tileResolution); shift += 3) {
            digits |= (long) (rest % 7) << shift;
            rest /= 7;
        }
        return (tile & ~RESOLUTION_MASK & ~finerDigits) | cellResolutionBits | digits;
    }

    /** Whether a number is the index of a cell of any resolution. */
    public static boolean isValidCell(long cell) {
        return H3.CORE.isValidCell(cell);
    }

    /** The resolution that an index claims; meaningful for valid cells. */
    public static int resolution(long cell) {
        return (int) ((cell & RESOLUTION_MASK) >>> RESOLUTION_SHIFT);
    }

    /**
     * Returns the ancestor of a cell at a coarser resolution.
     *
     * @param coarser 0 to the resolution of {@code cell}
     */
    public static long ancestor(long cell, int coarser) {
        long finer = (1L << (3 * (MAX_RESOLUTION - coarser))) - 1;
        return (cell & ~RESOLUTION_MASK) | ((long) coarser << RESOLUTION_SHIFT) | finer;
    }

    /** Returns all cells within grid distance {@code ring} of a cell, itself included, in no particular order. */
    public static long[] disk(long cell, int ring) {
        return unboxed(H3.CORE.gridDisk(cell, ring));
    }

    /** The number of cells within grid distance {@code ring} of a cell without a pentagon nearby: {@code 1 + 3R(R+1)}. */
    public static int regularDiskSize(int ring) {
        return 1 + 3 * ring * (ring + 1);
    }

    static long[] unboxed(List<Long> cells) {
        long[] array = new long[cells.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = cells.get(i);
        }
        return array;
    }

    /** The fewest cells that a tile has: those of a pentagon, which lacks one of seven children at every level. */
    int fewestCells() {
        return 1 + 5 * (slots - 1) / 6;
    }

    private static int power7(int exponent) {
        int power = 1;
        for (int i = 0; i < exponent; i++) {
            power *= 7;
        }
        return power;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HexTiling tiling && tiling.resolution == resolution;
    }

    @Override
    public int hashCode() {
        return resolution;
    }

    @Override
    public String toString() {
        return "HexTiling[resolution=" + resolution + ", tileResolution=" + tileResolution + "]";
    }
}
