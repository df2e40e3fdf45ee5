package io.thalweg.kernel.hex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A tile as a graph of neighbouring cells, for tiles that are not a plane lattice and for coarse resolutions.
 *
 * <p><b>Shape.</b> A cell's position is its number: the tile's own cells first, then those at distance 1 from them, 2, …, each
 * group by ascending H3 index. A position therefore does not depend on the largest ring.
 */
final class TileGraph implements TileGeometry {
    static final TileGraph NOWHERE = new TileGraph();
    private static final int MAX_NEIGHBOURS = 6;

    private final long[] cells;
    private final int owned;
    private final long[] sortedCells;
    private final int[] sortedPositions;
    private final int[] neighbours;
    private final Map<Integer, int[]> diskSizes = new HashMap<>();
    private final Walk walk;

    private TileGraph() {
        cells = new long[0];
        owned = 0;
        sortedCells = cells;
        sortedPositions = new int[0];
        neighbours = sortedPositions;
        walk = new Walk();
    }

    TileGraph(HexTiling tiling, long tile, int maxRing) {
        long[] own = ownCells(tiling, tile);
        Map<Long, Integer> positions = new HashMap<>(own.length * 4);
        List<Long> inOrder = new ArrayList<>(own.length * 2);
        List<long[]> near = new ArrayList<>(own.length * 2);
        number(own, positions, inOrder);
        for (int distance = 0; distance <= maxRing; distance++) {
            number(expand(inOrder, near, positions), positions, distance < maxRing ? inOrder : new ArrayList<>());
        }
        this.owned = own.length;
        this.cells = HexTiling.unboxed(inOrder);
        this.sortedCells = cells.clone();
        Arrays.sort(sortedCells);
        this.sortedPositions =
                Arrays.stream(sortedCells).mapToInt(positions::get).toArray();
        this.neighbours = links(near, positions);
        this.walk = new Walk();
    }

    private static long[] ownCells(HexTiling tiling, long tile) {
        long[] own = new long[tiling.slots()];
        int count = 0;
        for (int slot = 0; slot < own.length; slot++) {
            long cell = tiling.cell(tile, slot);
            if (HexTiling.isValidCell(cell)) {
                own[count++] = cell;
            }
        }
        return Arrays.copyOf(own, count);
    }

    private static void number(long[] cells, Map<Long, Integer> positions, List<Long> inOrder) {
        for (long cell : cells) {
            positions.put(cell, positions.size());
            inOrder.add(cell);
        }
    }

    /** Finds the neighbours of all cells not expanded yet; returns those without a position, ascending. */
    private static long[] expand(List<Long> inOrder, List<long[]> near, Map<Long, Integer> positions) {
        List<Long> found = new ArrayList<>();
        for (int position = near.size(); position < inOrder.size(); position++) {
            long[] disk = HexTiling.disk(inOrder.get(position), 1);
            near.add(disk);
            for (long cell : disk) {
                if (!positions.containsKey(cell)) {
                    found.add(cell);
                }
            }
        }
        return found.stream().mapToLong(Long::longValue).sorted().distinct().toArray();
    }

    private int[] links(List<long[]> near, Map<Long, Integer> positions) {
        int[] links = new int[cells.length * MAX_NEIGHBOURS];
        Arrays.fill(links, -1);
        for (int position = 0; position < cells.length; position++) {
            int at = position * MAX_NEIGHBOURS;
            for (long cell : near.get(position)) {
                int neighbour = positions.getOrDefault(cell, cells.length);
                if (neighbour != position && neighbour < cells.length) {
                    links[at++] = neighbour;
                }
            }
        }
        return links;
    }

    /** The number of positions. */
    int size() {
        return cells.length;
    }

    /** The number of the tile's own cells: positions {@code 0 .. owned() - 1}, ascending by H3 index. */
    int owned() {
        return owned;
    }

    @Override
    public boolean has(int position) {
        return position >= 0 && position < cells.length;
    }

    @Override
    public long cell(int position) {
        return cells[position];
    }

    /** Returns the disk sizes of an owned position, cached because a walk for each row would cost more than all the sums. */
    int[] diskSizes(int position, Function<Integer, int[]> count) {
        return diskSizes.computeIfAbsent(position, count);
    }

    @Override
    public int position(long cell) {
        int at = Arrays.binarySearch(sortedCells, cell);
        return at < 0 ? -1 : sortedPositions[at];
    }

    /** A walk over this graph, whose buffers are reused. */
    Walk walk() {
        return walk;
    }

    /**
     * Breadth-first search: all positions within a grid distance of one. Exact for every owned position from any position and for any
     * position from an owned one, because a shortest path to an owned cell stays within reach of it.
     */
    final class Walk {
        final int[] reached = new int[cells.length];
        private final int[] distance = new int[cells.length];
        private final int[] seen = new int[cells.length];
        private int round;

        /** Finds the positions around {@code origin}, nearest first, in {@link #reached}; returns their number. */
        int from(int origin, int maxDistance) {
            round++;
            int count = 0;
            reached[count++] = origin;
            seen[origin] = round;
            distance[origin] = 0;
            for (int next = 0; next < count; next++) {
                int position = reached[next];
                if (distance[position] == maxDistance) {
                    break;
                }
                for (int link = position * MAX_NEIGHBOURS; link < (position + 1) * MAX_NEIGHBOURS; link++) {
                    int neighbour = neighbours[link];
                    if (neighbour >= 0 && seen[neighbour] != round) {
                        seen[neighbour] = round;
                        distance[neighbour] = distance[position] + 1;
                        reached[count++] = neighbour;
                    }
                }
            }
            return count;
        }

        int distance(int position) {
            return distance[position];
        }
    }
}
