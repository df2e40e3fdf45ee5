package io.thalweg.kernel.hex;

import io.thalweg.kernel.pane.PlaceCounts;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The slow path: sums over disks by walking the graph of neighbours from every cell that has counts. */
final class GraphSums {
    private final int[] rings;
    private final int[] windows;
    private final int maxRing;
    /** The index of the smallest ring that reaches a distance. */
    private final int[] firstRing;

    private final HexTiling tiling;
    private @Nullable TileGraph graph;
    private TileGraph.Walk walk = TileGraph.NOWHERE.walk();
    private long[] counts = {};
    private boolean[] touched = {};
    private int[] touchedPlaces = {};
    private int touchedCount;
    private long[] sums = {};
    private boolean[] closing = {};

    GraphSums(HexTiling tiling, int[] rings, int[] windows) {
        this.rings = rings;
        this.windows = windows;
        this.maxRing = rings[rings.length - 1];
        this.tiling = tiling;
        this.firstRing = new int[maxRing + 1];
        for (int distance = 0, ring = 0; distance <= maxRing; distance++) {
            ring += rings[ring] < distance ? 1 : 0;
            firstRing[distance] = ring;
        }
    }

    void assemble(TileGraph tile, PaneReader panes, RowSink rows) {
        prepare(tile);
        long[] windowCounts = new long[tile.size() * windows.length];
        int pane = 1;
        for (int window = 0; window < windows.length; window++) {
            for (; pane <= windows[window]; pane++) {
                add(panes.pane(pane));
            }
            for (int n = 0; n < touchedCount; n++) {
                int place = touchedPlaces[n];
                windowCounts[place * windows.length + window] = counts[place];
            }
        }
        for (int n = 0; n < touchedCount; n++) {
            scatter(tile, touchedPlaces[n], windowCounts);
        }
        forget();
        add(panes.pane(pane));
        for (int n = 0; n < touchedCount; n++) {
            scatterClosing(tile, touchedPlaces[n]);
        }
        forget();
        emit(tile, rows);
    }

    private void add(PlaceCounts pane) {
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
        if (count > 0 && !touched[place]) {
            touched[place] = true;
            touchedPlaces[touchedCount++] = place;
        }
    }

    private void prepare(TileGraph tile) {
        if (tile != graph) {
            graph = tile;
            walk = tile.walk();
            counts = new long[tile.size()];
            touched = new boolean[tile.size()];
            touchedPlaces = new int[tile.size()];
            sums = new long[tile.owned() * rings.length * windows.length];
            closing = new boolean[tile.owned()];
            touchedCount = 0;
        }
        forget(); // what a reader that threw has left
        Arrays.fill(sums, 0);
        Arrays.fill(closing, false);
    }

    private void forget() {
        for (int n = 0; n < touchedCount; n++) {
            counts[touchedPlaces[n]] = 0;
            touched[touchedPlaces[n]] = false;
        }
        touchedCount = 0;
    }

    /** Adds the counts of one place at the smallest ring that reaches it from each owned cell around. */
    private void scatter(TileGraph tile, int place, long[] windowCounts) {
        int reached = walk.from(place, maxRing);
        for (int n = 0; n < reached; n++) {
            int target = walk.reached[n];
            if (target < tile.owned()) {
                int at = (target * rings.length + firstRing[walk.distance(target)]) * windows.length;
                for (int window = 0; window < windows.length; window++) {
                    sums[at + window] += windowCounts[place * windows.length + window];
                }
            }
        }
    }

    private void scatterClosing(TileGraph tile, int place) {
        int reached = walk.from(place, maxRing);
        for (int n = 0; n < reached; n++) {
            if (walk.reached[n] < tile.owned()) {
                closing[walk.reached[n]] = true;
            }
        }
    }

    private void emit(TileGraph tile, RowSink rows) {
        int features = rings.length * windows.length;
        for (int place = 0; place < tile.owned(); place++) {
            int at = place * features;
            for (int feature = windows.length; feature < features; feature++) {
                sums[at + feature] += sums[at + feature - windows.length];
            }
            if (closing[place] || sums[at + features - 1] != 0) {
                int[] sizes = tile.diskSizes(place, this::countDisks);
                rows.row(tiling.slot(tile.cell(place)), sums, at, isRegular(sizes) ? null : sizes);
            }
        }
    }

    private boolean isRegular(int[] sizes) {
        boolean regular = true;
        for (int ring = 0; ring < rings.length; ring++) {
            regular &= sizes[ring] == HexTiling.regularDiskSize(rings[ring]);
        }
        return regular;
    }

    private int[] countDisks(int place) {
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
