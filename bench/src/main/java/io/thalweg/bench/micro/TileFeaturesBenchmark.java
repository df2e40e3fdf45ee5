package io.thalweg.bench.micro;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.PaneReader;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.PositionCounts;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does one tile-minute cost: 54 features (9 rings × 6 windows) of the 16,807 cells of a tile, compared with the direct
 * gather over 1,261 cells for each window?
 *
 * <p>In every pane every cell, including those of the halo, has a count. Panes have the form of the compute job: runs of places.
 * The rival's sums stay in memory that is reused; {@code scalar} and {@code vector} also copy them into a new array of longs.
 * Run: {@code ./thalweg bench micro TileFeatures}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(jvmArgsAppend = "-Xmx1g")
public class TileFeaturesBenchmark {
    private static final int[] RINGS = {0, 1, 2, 3, 4, 5, 10, 15, 20};
    private static final int[] WINDOWS = {1, 2, 4, 8, 16, 32};
    private static final int MAX_RING = 20;
    private static final int PANES = 32;

    private final HexTiling tiling = HexTiling.of(9);
    private final long tile = tiling.tile(tiling.cell(40.75, -73.98));
    private final TileFeatures features = new TileFeatures(tiling, RINGS, WINDOWS);
    private int[] places = {};
    private PositionCounts[] panes = {};
    private final PaneReader reader = panesBack -> panesBack <= PANES ? panes[panesBack - 1] : PositionCounts.NONE;

    private DirectGather gather = new DirectGather(1, RINGS, WINDOWS);
    private int[][] paneIndexes = {};
    private int[][] gatherCounts = {};
    private int[] lattice = {};
    private int[] cells = {};
    private long[] sums = {};

    /** Draws the counts, lays them out for both sides, and compares the sums of both. */
    @Setup
    public void setup() {
        places = allPlaces();
        Random random = new Random(1);
        panes = new PositionCounts[PANES];
        Arrays.setAll(
                panes,
                pane -> PositionCounts.of(
                        places, random.ints(places.length, 1, 10).toArray()));
        layOutForGather();
        check();
    }

    private int[] allPlaces() {
        Set<Integer> all = new TreeSet<>();
        for (int slot = 0; slot < tiling.slots(); slot++) {
            long cell = tiling.cell(tile, slot);
            all.add(features.position(tile, cell));
            if (Arrays.stream(HexTiling.disk(cell, 1)).anyMatch(near -> tiling.tile(near) != tile)) {
                Arrays.stream(HexTiling.disk(cell, MAX_RING)).forEach(near -> all.add(features.position(tile, near)));
            }
        }
        return all.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Converts places: a place is {@code (j + 512) << 10 | (i + 512)}, and the gather's lattice is that box, cut to what disks
     * can reach.
     */
    private void layOutForGather() {
        TileRows rows = features.assemble(tile, reader);
        int[] rowPlaces = Arrays.stream(rows.cells())
                .mapToInt(cell -> features.position(tile, cell))
                .toArray();
        int firstI = Arrays.stream(rowPlaces).map(p -> p & 1023).min().orElseThrow() - MAX_RING;
        int firstJ = Arrays.stream(rowPlaces).map(p -> p >> 10).min().orElseThrow() - MAX_RING;
        int width = Arrays.stream(rowPlaces).map(p -> p & 1023).max().orElseThrow() + MAX_RING + 1 - firstI;
        int height = Arrays.stream(rowPlaces).map(p -> p >> 10).max().orElseThrow() + MAX_RING + 1 - firstJ;
        gather = new DirectGather(width, RINGS, WINDOWS);
        cells = Arrays.stream(rowPlaces)
                .map(p -> ((p >> 10) - firstJ) * width + (p & 1023) - firstI)
                .toArray();
        lattice = new int[width * height];
        sums = new long[cells.length * RINGS.length * WINDOWS.length];
        paneIndexes = new int[PANES][];
        gatherCounts = new int[PANES][];
        int[] indexes = Arrays.stream(places)
                .map(p -> ((p >> 10) - firstJ) * width + (p & 1023) - firstI)
                .toArray();
        Arrays.setAll(paneIndexes, pane -> indexes.clone());
        Arrays.setAll(gatherCounts, pane -> panes[pane].counts());
    }

    private void check() {
        if (!Arrays.equals(gather(), features())) {
            throw new IllegalStateException("the contestants differ: " + features.rowLoop());
        }
        System.out.println("# equal sums: direct gather and " + features.rowLoop() + ", rows " + cells.length);
    }

    /** The rival. */
    @Benchmark
    public long[] gather() {
        gather.sum(paneIndexes, gatherCounts, lattice, cells, sums);
        return sums;
    }

    /** Plain Java. */
    @Benchmark
    public long[] scalar() {
        return features();
    }

    /** With the Vector API. */
    @Benchmark
    @Fork(jvmArgsAppend = {"-Xmx1g", "--add-modules", "jdk.incubator.vector"})
    public long[] vector() {
        return features();
    }

    private long[] features() {
        return features.assemble(tile, reader).sums();
    }

    /**
     * The rival: every cell adds up the 1,261 cells of its largest disk on the dense lattice, one by one, for each window. The cells
     * are ordered by distance, so the sum of each ring is the running total. It uses no vectors and shares nothing between cells or
     * windows.
     */
    static final class DirectGather {
        private final int[] steps;
        private final int[] ringEnds;
        private final int[] windows;

        /** Creates a gather for a lattice of a given width, {@code i} contiguous; disks are {@code |i|, |j|, |i - j| <= R}. */
        DirectGather(int width, int[] rings, int[] windows) {
            int maxRing = rings[rings.length - 1];
            this.windows = windows;
            this.steps = new int[1 + 3 * maxRing * (maxRing + 1)];
            this.ringEnds = new int[rings.length];
            int count = 0;
            for (int ring = 0, distance = 0; distance <= maxRing; distance++) {
                for (int j = -distance; j <= distance; j++) {
                    for (int i = -distance; i <= distance; i++) {
                        if (Math.max(Math.max(Math.abs(i), Math.abs(j)), Math.abs(i - j)) == distance) {
                            steps[count++] = j * width + i;
                        }
                    }
                }
                if (rings[ring] == distance) {
                    ringEnds[ring++] = count;
                }
            }
        }

        /**
         * Computes all features of all cells.
         *
         * @param indexes lattice indexes of the counts, pane by pane, the newest first
         * @param counts in the same order
         * @param lattice scratch
         * @param cells lattice indexes
         * @param sums cell by cell, rings outer, windows inner
         */
        void sum(int[][] indexes, int[][] counts, int[] lattice, int[] cells, long[] sums) {
            Arrays.fill(lattice, 0);
            int pane = 0;
            for (int window = 0; window < windows.length; window++) {
                for (; pane < windows[window]; pane++) {
                    for (int n = 0; n < indexes[pane].length; n++) {
                        lattice[indexes[pane][n]] += counts[pane][n];
                    }
                }
                for (int n = 0; n < cells.length; n++) {
                    gather(lattice, cells[n], sums, n * ringEnds.length * windows.length + window);
                }
            }
        }

        private void gather(int[] lattice, int cell, long[] sums, int into) {
            int sum = 0;
            int step = 0;
            for (int ring = 0; ring < ringEnds.length; ring++) {
                for (; step < ringEnds[ring]; step++) {
                    sum += lattice[cell + steps[step]];
                }
                sums[into + ring * windows.length] = sum;
            }
        }
    }
}
