package io.thalweg.kernel.hex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Determines the neighbouring tiles that need the count of a cell: those that own a cell within the largest ring of it.
 *
 * <p>Results are cached as one byte per slot of each tile seen; most cells are inside their tile and need no neighbour.
 *
 * <p><b>Threads.</b> Not safe to share: one per operator thread. About 17 KB per tile; the cache is cleared beyond 4,096 tiles.
 */
public final class Halo {
    private static final long[] NONE = {};
    private static final int MAX_TILES = 4096;
    private static final int MAX_ANSWERS = 256;

    private final HexTiling tiling;
    private final int maxRing;
    private final boolean ringSuffices;
    private final Map<Long, Border> borders = new HashMap<>();
    private long lastTile;
    private Border lastBorder;

    /**
     * Creates the halo of tiles for disks up to a radius.
     *
     * @param maxRing grid distance, at least 0
     * @throws IllegalArgumentException if {@code maxRing} is negative
     */
    public Halo(HexTiling tiling, int maxRing) {
        if (maxRing < 0) {
            throw new IllegalArgumentException("maxRing must be at least 0, was " + maxRing);
        }
        this.tiling = tiling;
        this.maxRing = maxRing;
        // A tile is connected. If it has more cells than a disk, it has one outside the disk. If it also has one
        // inside, a path between them within the tile passes a cell at distance maxRing exactly. The hollow ring
        // therefore meets every tile that the disk touches. A disk near a pentagon is only smaller.
        this.ringSuffices = tiling.fewestCells() > 1L + 3L * maxRing * (maxRing + 1L);
        this.lastBorder = new Border(tiling.slots());
    }

    /**
     * Returns the tiles, other than the cell's own, that own a cell within the largest ring of it.
     *
     * @param cell a valid cell of the tiling's resolution
     * @return ascending; shared between calls, must not be modified
     */
    public long[] neighboursNeeding(long cell) {
        long tile = tiling.tile(cell);
        Border border = tile == lastTile ? lastBorder : border(tile);
        int slot = tiling.slot(cell);
        int known = border.answer[slot];
        if (known == 1) {
            return NONE;
        }
        return known != 0 ? border.answers.get(known & 0xFF) : border.remember(slot, compute(cell, tile));
    }

    private Border border(long tile) {
        if (borders.size() >= MAX_TILES) {
            borders.clear();
        }
        lastBorder = borders.computeIfAbsent(tile, t -> new Border(tiling.slots()));
        lastTile = tile;
        return lastBorder;
    }

    private long[] compute(long cell, long tile) {
        if (maxRing == 0) {
            return NONE;
        }
        List<Long> cells = ringSuffices ? H3.CORE.gridRing(cell, maxRing) : H3.CORE.gridDisk(cell, maxRing);
        return cells.stream()
                .mapToLong(near -> tiling.tile(near))
                .filter(near -> near != tile)
                .distinct()
                .sorted()
                .toArray();
    }

    /** The answers of one tile: 0 unknown, 1 none, otherwise an index into the list of distinct answers. */
    private static final class Border {
        final byte[] answer;
        final List<long[]> answers = new ArrayList<>(List.of(NONE, NONE));

        Border(int slots) {
            answer = new byte[slots];
        }

        long[] remember(int slot, long[] tiles) {
            if (answers.size() == MAX_ANSWERS) {
                return tiles; // only where disks are far larger than tiles (coarse resolutions): computed each time
            }
            int number = tiles.length == 0 ? 1 : numberOf(tiles);
            answer[slot] = (byte) number;
            return answers.get(number);
        }

        private int numberOf(long[] tiles) {
            for (int number = 2; number < answers.size(); number++) {
                if (Arrays.equals(answers.get(number), tiles)) {
                    return number;
                }
            }
            answers.add(tiles);
            return answers.size() - 1;
        }
    }
}
