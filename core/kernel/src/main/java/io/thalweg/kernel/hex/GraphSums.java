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
    /** By place: its sum so far; meaningful for places with counts only. */
    private long[] counts = {};
    /** By place: 1 + its number among the places with counts, or 0. */
    private int[] numbers = {};
    /** By number: a place that has counts. */
    private int[] counted = new int[64];

    private int countedPlaces;
    /** By number and window: the place's sum over the window. */
    private long[] windowCounts = new long[64];

    /** By own place: 1 + the number of its row, or 0. */
    private int[] rowNumbers = {};
    /** By row: its place. */
    private int[] rowPlaces = new int[64];

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
            for (int n = 0; n < countedPlaces; n++) {
                windowCounts[n * windows.length + window] = counts[counted[n]];
            }
        }
        for (int n = 0; n < countedPlaces; n++) {
            scatter(tile, n);
        }
        forgetCounts();
        add(panes.pane(pane));
        for (int n = 0; n < countedPlaces; n++) {
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
                add(pane.place(run) + n, pane.counts()[from + n]);
            }
            from += length;
        }
    }

    private void add(int place, int count) {
        counts[place] += count;
        if (count > 0 && numbers[place] == 0) {
            if (countedPlaces == counted.length) {
                counted = Arrays.copyOf(counted, 2 * countedPlaces);
            }
            counted[countedPlaces++] = place;
            numbers[place] = countedPlaces;
            int end = countedPlaces * windows.length;
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
        for (int n = 0; n < countedPlaces; n++) {
            counts[counted[n]] = 0;
            numbers[counted[n]] = 0;
        }
        countedPlaces = 0;
    }

    private void forgetRows() {
        for (int row = 0; row < rows; row++) {
            rowNumbers[rowPlaces[row]] = 0;
        }
        rows = 0;
    }

    /** Returns where the sums of an own place begin; adds a row of zeros if there is none. */
    private int row(int place) {
        if (rowNumbers[place] == 0) {
            if (rows == rowPlaces.length) {
                rowPlaces = Arrays.copyOf(rowPlaces, 2 * rows);
            }
            rowPlaces[rows++] = place;
            rowNumbers[place] = rows;
            sums = grown(sums, rows * features);
            Arrays.fill(sums, (rows - 1) * features, rows * features, 0);
        }
        return (rowNumbers[place] - 1) * features;
    }

    private static long[] grown(long[] array, int length) {
        return array.length < length ? Arrays.copyOf(array, Math.max(length, 2 * array.length)) : array;
    }

    /** Adds the counts of one place to each owned cell around, at the smallest ring that reaches the place. */
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

    private void scatterClosing(TileGraph tile, int place) {
        TileGraph.Walk walk = tile.walk();
        int reached = walk.from(place, maxRing);
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
            int[] sizes = tile.diskSizes(rowPlaces[row], place -> countDisks(tile, place));
            sink.row(tiling.slot(tile.cell(rowPlaces[row])), sums, at, isRegular(sizes) ? null : sizes);
        }
    }

    private boolean isRegular(int[] sizes) {
        boolean regular = true;
        for (int ring = 0; ring < rings.length; ring++) {
            regular &= sizes[ring] == HexTiling.regularDiskSize(rings[ring]);
        }
        return regular;
    }

    private int[] countDisks(TileGraph tile, int place) {
        TileGraph.Walk walk = tile.walk();
        int[] sizes = new int[rings.length];
        int reached = walk.from(place, maxRing);
        for (int n = 0; n < reached; n++) {
            sizes[firstRing[walk.distance(walk.reached[n])]]++;
        }
        for (int ring = 1; ring < rings.length; ring++) {
            sizes[ring] += sizes[ring - 1];
        }
        return sizes;
    }
}
