package io.thalweg.bench.micro;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.PaneReader;
import io.thalweg.kernel.hex.RowSink;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.PositionCounts;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
 * The rival's sums and those of {@code scalarRows} and {@code vectorRows} stay in memory that is reused; {@code scalar} and
 * {@code vector} also copy them into a new array of longs. Only {@code scalar} and {@code vector} have the output of
 * {@code gather}, all 54 sums of each cell. {@code scalarRows} and {@code vectorRows} pass rows to a sink, so no ratio compares
 * them with it. Run: {@code ./thalweg bench micro TileFeatures}.
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

    /** Plain Java, with rows passed on one by one. */
    @Benchmark
    public long scalarRows() {
        return handOver();
    }

    /** With the Vector API, with rows passed on one by one. */
    @Benchmark
    @Fork(jvmArgsAppend = {"-Xmx1g", "--add-modules", "jdk.incubator.vector"})
    public long vectorRows() {
        return handOver();
    }

    private long handOver() {
        Glance sink = new Glance();
        features.assemble(tile, reader, sink);
        return sink.seen;
    }

    /** Reads one value of each row. */
    private static final class Glance implements RowSink {
        private long seen;

        @Override
        public void begin(long tile) {
            seen = 0;
        }

        @Override
        public void row(int slot, int[] steps, int at, int ringStride) {
            seen += slot + steps[at];
        }

        @Override
        public void row(int slot, long[] sums, int at, int @Nullable [] diskSizes) {
            seen += slot + sums[at];
        }
    }

    private long[] features() {
        return features.assemble(tile, reader).sums();
    }
}
