package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * The plane lattice of a tile and its surroundings, in axial coordinates around the tile's centre child. Tiles of the same outline
 * share it.
 *
 * <p><b>Shape.</b> A position packs the coordinates as {@code (j + 512) << 10 | (i + 512)}, so it does not depend on the largest
 * ring. A lattice index is {@code (j - firstJ) * width + (i - firstI)}: {@code i} is contiguous. The lattice is the bounding box
 * of the tile extended by the largest ring, and by one more at the low sides, for the prefix sums.
 */
final class LatticeShape {
    /** Coordinates are within ±511. */
    static final int HALF = 512;

    private static final int POSITION_BITS = 10;
    private static final int POSITION_MASK = (1 << POSITION_BITS) - 1;

    /** By digit of an index: a step to a neighbour, or none. */
    private static final int[] STEP_I = {0, -1, 0, -1, 1, 0, 1};

    private static final int[] STEP_J = {0, -1, 1, 0, 0, -1, 1};

    /** The position of each slot. */
    final int[] slotPositions;

    final int firstI;
    final int firstJ;
    final int width;
    final int height;
    /** Lattice coordinates (from 0) of the box of the tile's own cells. */
    final int ownedI;

    final int ownedJ;
    final int ownedWidth;
    final int ownedHeight;
    /** By lattice index: the slot of the tile's own cells, -1 elsewhere. */
    final short[] slots;
    /** By lattice index: the grid distance to the nearest own cell; more than the largest ring elsewhere. */
    final short[] distances;
    /** By lattice row from 0: the first own column and the column after the last; equal if there is none. */
    final int[] rowStart;

    final int[] rowEnd;

    private LatticeShape(int[] slotPositions, int maxRing) {
        this.slotPositions = slotPositions;
        int minI = Arrays.stream(slotPositions).map(LatticeShape::i).min().orElseThrow();
        int maxI = Arrays.stream(slotPositions).map(LatticeShape::i).max().orElseThrow();
        int minJ = Arrays.stream(slotPositions).map(LatticeShape::j).min().orElseThrow();
        int maxJ = Arrays.stream(slotPositions).map(LatticeShape::j).max().orElseThrow();
        this.ownedI = maxRing + 1;
        this.ownedJ = maxRing + 1;
        this.ownedWidth = maxI - minI + 1;
        this.ownedHeight = maxJ - minJ + 1;
        this.firstI = minI - ownedI;
        this.firstJ = minJ - ownedJ;
        this.width = ownedI + ownedWidth + maxRing;
        this.height = ownedJ + ownedHeight + maxRing;
        this.slots = new short[width * height];
        this.distances = new short[width * height];
        this.rowStart = new int[height];
        this.rowEnd = new int[height];
        markOwned();
        spread(maxRing);
    }

    /**
     * Returns the positions of the slots of a tile. Each finer resolution multiplies the lattice by a number of norm 7, alternating
     * between two conjugate ones, and a digit adds a step.
     */
    static int[] slotPositions(HexTiling tiling) {
        int[] coarse = {position(0, 0)};
        for (int resolution = tiling.tileResolution() + 1; resolution <= tiling.resolution(); resolution++) {
            int[] fine = new int[7 * coarse.length];
            for (int slot = 0; slot < fine.length; slot++) {
                int i = i(coarse[slot / 7]);
                int j = j(coarse[slot / 7]);
                boolean odd = (resolution & 1) == 1;
                int centreI = odd ? 2 * i + j : 3 * i - j;
                int centreJ = odd ? 3 * j - i : i + 2 * j;
                fine[slot] = position(centreI + STEP_I[slot % 7], centreJ + STEP_J[slot % 7]);
            }
            coarse = fine;
        }
        return coarse;
    }

    /** The number of steps from the centre to coordinates. */
    static int distance(int i, int j) {
        return Math.max(Math.max(Math.abs(i), Math.abs(j)), Math.abs(i - j));
    }

    /** Whether a shape is small enough for positions and for slots in a short. */
    static boolean fits(int[] slotPositions, int maxRing) {
        return slotPositions.length <= Short.MAX_VALUE
                && Arrays.stream(slotPositions)
                        .allMatch(position ->
                                Math.max(Math.abs(i(position)), Math.abs(j(position))) + maxRing + 1L < HALF);
    }

    static LatticeShape of(int[] slotPositions, int maxRing) {
        return new LatticeShape(slotPositions, maxRing);
    }

    private void markOwned() {
        Arrays.fill(slots, (short) -1);
        Arrays.fill(distances, Short.MAX_VALUE);
        Arrays.fill(rowStart, Integer.MAX_VALUE);
        for (int slot = 0; slot < slotPositions.length; slot++) {
            int at = index(slotPositions[slot]);
            slots[at] = (short) slot;
            distances[at] = 0;
            int row = at / width;
            rowStart[row] = Math.min(rowStart[row], at % width);
            rowEnd[row] = Math.max(rowEnd[row], at % width + 1);
        }
        for (int row = 0; row < height; row++) {
            rowStart[row] = Math.min(rowStart[row], rowEnd[row]);
        }
    }

    private void spread(int maxRing) {
        for (short distance = 0; distance < maxRing; distance++) {
            for (int at = 0; at < distances.length; at++) {
                if (distances[at] == distance) {
                    for (int step : steps()) {
                        int near = at + step;
                        distances[near] = (short) Math.min(distances[near], distance + 1);
                    }
                }
            }
        }
    }

    /** The offsets from a lattice index to its six neighbours: (1,0), (1,1), (0,1) and back. */
    int[] steps() {
        return new int[] {1, width + 1, width, -1, -width - 1, -width};
    }

    static int position(int i, int j) {
        return (j + HALF) << POSITION_BITS | (i + HALF);
    }

    static int i(int position) {
        return (position & POSITION_MASK) - HALF;
    }

    static int j(int position) {
        return (position >> POSITION_BITS) - HALF;
    }

    /** The lattice index of a position up to a constant of the lattice, for use in loops. */
    static int packedIndex(int position, int width) {
        return (position >> POSITION_BITS) * width + (position & POSITION_MASK);
    }

    int index(int position) {
        return (j(position) - firstJ) * width + i(position) - firstI;
    }

    boolean contains(int i, int j) {
        return i >= firstI && i < firstI + width && j >= firstJ && j < firstJ + height;
    }
}
