package io.thalweg.kernel.hex;

import io.thalweg.kernel.pane.PositionCounts;
import java.util.Arrays;

/**
 * Computes sums over disks by walking the graph of neighbours from every cell that has counts. This is the slow path.
 *
 * <p><b>Cost.</b> Proportional to the cells with counts and the cells within the largest ring of them, regardless of the tile's size.
 */
final class GraphSums {
    private final int[] rings;
    private final int[] windows;
    private final int maxRing;
    private final int features;
    /** The index of the smallest ring that reaches a distance. */
    private final int[] firstRing;

    private final HexTiling tiling;
    /** By position: its sum so far; meaningful for positions with counts only. */
    private long[] counts = {};
    /** By position: 1 + its number among the positions with counts, or 0. */
    private int[] numbers = {};
    /** By number: a position that has counts. */
    private int[] counted = new int[64];

    private int countedPositions;
    /** By number and window: the position's sum over the window. */
    private long[] windowCounts = new long[64];

    /** By own position: 1 + the number of its row, or 0. */
    private int[] rowNumbers = {};
    /** By row: its position. */
    private int[] rowPositions = new int[64];

    private int rows;
    /** By row: its sums. */
    private long[] sums = new long[64];

    GraphSums(HexTiling tiling, int[] rings, int[] windows) {
        this.rings = rings;
        this.windows = windows;
        this.features = rings.length * windows.length;
        this.maxRing = rings[rings.length - 1];
        this.tiling = tiling;
        this.firstRing = new int[maxRing + 1];
        for (int distance = 0, ring = 0; distance <= maxRing; distance++) {
            ring += rings[ring] < distance ? 1 : 0;
            firstRing[distance] = ring;
        }
    }

    void assemble(TileGraph tile, PaneReader panes, RowSink sink) {
        prepare(tile);
        int pane = 1;
        for (int window = 0; window < windows.length; window++) {
            for (; pane <= windows[window]; pane++) {
                add(panes.pane(pane));
            }
            for (int n = 0; n < countedPositions; n++) {
                windowCounts[n * windows.length + window] = counts[counted[n]];
            }
        }
        for (int n = 0; n < countedPositions; n++) {
            scatter(tile, n);
        }
        forgetCounts();
        add(panes.pane(pane));
        for (int n = 0; n < countedPositions; n++) {
            scatterClosing(tile, counted[n]);
        }
        forgetCounts();
        emit(tile, sink);
        forgetRows();
    }

    private void add(PositionCounts pane) {
        int from = 0;
        for (int run = 0; run < pane.runs(); run++) {
            int length = pane.length(run);
            for (int n = 0; n < length; n++) {
                add(pane.position(run) + n, pane.counts()[from + n]);
            }
            from += length;
        }
    }

    private void add(int position, int count) {
        counts[position] += count;
        if (count > 0 && numbers[position] == 0) {
            if (countedPositions == counted.length) {
                counted = Arrays.copyOf(counted, 2 * countedPositions);
            }
            counted[countedPositions++] = position;
            numbers[position] = countedPositions;
            int end = countedPositions * windows.length;
            windowCounts = grown(windowCounts, end);
            Arrays.fill(windowCounts, end - windows.length, end, 0);
        }
    }

    private void prepare(TileGraph tile) {
        forgetCounts(); // leftovers of a reader that threw
        forgetRows();
        if (counts.length < tile.size()) {
            counts = new long[tile.size()];
            numbers = new int[tile.size()];
            rowNumbers = new int[tile.size()];
        }
    }

    private void forgetCounts() {
        for (int n = 0; n < countedPositions; n++) {
            counts[counted[n]] = 0;
            numbers[counted[n]] = 0;
        }
        countedPositions = 0;
    }

    private void forgetRows() {
        for (int row = 0; row < rows; row++) {
            rowNumbers[rowPositions[row]] = 0;
        }
        rows = 0;
    }

    /** Returns where the sums of an own position begin; adds a row of zeros if there is none. */
    private int row(int position) {
        if (rowNumbers[position] == 0) {
            if (rows == rowPositions.length) {
                rowPositions = Arrays.copyOf(rowPositions, 2 * rows);
            }
            rowPositions[rows++] = position;
            rowNumbers[position] = rows;
            sums = grown(sums, rows * features);
            Arrays.fill(sums, (rows - 1) * features, rows * features, 0);
        }
        return (rowNumbers[position] - 1) * features;
    }

    private static long[] grown(long[] array, int length) {
        return array.length < length ? Arrays.copyOf(array, Math.max(length, 2 * array.length)) : array;
    }

    /** Adds the counts of one position to each owned cell around, at the smallest ring that reaches the position. */
    private void scatter(TileGraph tile, int number) {
        TileGraph.Walk walk = tile.walk();
        int reached = walk.from(counted[number], maxRing);
        for (int n = 0; n < reached; n++) {
            int target = walk.reached[n];
            if (target < tile.owned()) {
                int at = row(target) + firstRing[walk.distance(target)] * windows.length;
                for (int window = 0; window < windows.length; window++) {
                    sums[at + window] += windowCounts[number * windows.length + window];
                }
            }
        }
    }

    private void scatterClosing(TileGraph tile, int position) {
        TileGraph.Walk walk = tile.walk();
        int reached = walk.from(position, maxRing);
        for (int n = 0; n < reached; n++) {
            if (walk.reached[n] < tile.owned()) {
                row(walk.reached[n]);
            }
        }
    }

    private void emit(TileGraph tile, RowSink sink) {
        for (int row = 0; row < rows; row++) {
            int at = row * features;
            for (int feature = windows.length; feature < features; feature++) {
                sums[at + feature] += sums[at + feature - windows.length];
            }
            int[] sizes = tile.diskSizes(rowPositions[row], position -> countDisks(tile, position));
            sink.row(tiling.slot(tile.cell(rowPositions[row])), sums, at, isRegular(sizes) ? null : sizes);
        }
    }

    private boolean isRegular(int[] sizes) {
        boolean regular = true;
        for (int ring = 0; ring < rings.length; ring++) {
            regular &= sizes[ring] == HexTiling.regularDiskSize(rings[ring]);
        }
        return regular;
    }

    private int[] countDisks(TileGraph tile, int position) {
        TileGraph.Walk walk = tile.walk();
        int[] sizes = new int[rings.length];
        int reached = walk.from(position, maxRing);
        for (int n = 0; n < reached; n++) {
            sizes[firstRing[walk.distance(walk.reached[n])]]++;
        }
        for (int ring = 1; ring < rings.length; ring++) {
            sizes[ring] += sizes[ring - 1];
        }
        return sizes;
    }
}
