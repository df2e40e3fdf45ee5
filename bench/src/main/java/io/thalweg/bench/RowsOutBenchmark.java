package io.thalweg.bench;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.PlaceCounts;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Finality;
import io.thalweg.model.PackedBundles;
import io.thalweg.model.PackedRows;
import io.thalweg.model.RowBlock;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a row of 54 features cost on its way out, by step: its sums, its bits for Kafka, its bits for the embedded store?
 *
 * <p>A tile in which every tenth cell has a rider in each of 32 minutes, as in the pipeline's full-size load. Time is per tile
 * of 16,807 rows. Run:
 *
 * <pre>
 * ./mvnw -q -pl bench -am -DskipTests package
 * java -cp 'bench/target/lib/*:bench/target/classes' org.openjdk.jmh.Main RowsOut
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class RowsOutBenchmark {
    private static final double RIDERS_PER_CELL = 0.1;
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: rider-events}
                    entities: [{name: cell, h3: {lat: lat, lng: lng, resolution: 9}}]
                    measure: {count: all}
                    rings: [0, 1, 2, 3, 4, 5, 10, 15, 20]
                    windows: {sizes: [1m, 2m, 4m, 8m, 16m, 32m], every: 1m}
                    """, "demand.yaml").views().get(0);

    private final HexTiling tiling = HexTiling.of(9);
    private final long tile = tiling.tile(tiling.cell(40.75, -73.98));
    private final TileFeatures features = new TileFeatures(
            tiling,
            VIEW.rings().stream().mapToInt(Integer::intValue).toArray(),
            VIEW.windows().panes());
    private final PlaceCounts[] panes = new PlaceCounts[VIEW.windows().largestPanes() + 1];
    private final PackedRows packed = new PackedRows(VIEW);
    private final PackedBundles bundles = new PackedBundles(VIEW);
    private RowBlock block = block(new long[0], new long[0], null);

    /** Draws the counts. */
    @Setup
    public void setup() {
        Random random = new Random(1);
        Arrays.setAll(panes, pane -> PlaceCounts.NONE);
        for (int pane = 1; pane < panes.length; pane++) {
            int[] places = random.ints((int) (RIDERS_PER_CELL * tiling.slots()), 0, tiling.slots())
                    .distinct()
                    .map(slot -> features.place(tile, tiling.cell(tile, slot)))
                    .sorted()
                    .toArray();
            int[] counts = new int[places.length];
            Arrays.fill(counts, 1);
            panes[pane] = PlaceCounts.of(places, counts);
        }
        block = block();
    }

    private RowBlock block() {
        TileRows rows = rows();
        return block(rows.cells(), rows.sums(), rows.diskSizes());
    }

    private TileRows rows() {
        return features.assemble(tile, panesBack -> panesBack < panes.length ? panes[panesBack] : PlaceCounts.NONE);
    }

    private RowBlock block(long[] cells, long[] sums, int @Nullable [] diskSizes) {
        return new RowBlock("demand", 0, tile, List.of(), 60_000, Finality.FINAL, cells, sums, diskSizes);
    }

    /** The tile's sums from its panes. */
    @Benchmark
    public RowBlock assemble() {
        return block();
    }

    /** The tile's sums from its panes, as bits at once. */
    @Benchmark
    public RowBlock assembleBits() {
        TileRows rows = rows();
        return packed.block(
                0,
                tile,
                List.of(),
                60_000,
                Finality.FINAL,
                rows.cells(),
                (row, into) -> rows.copySums(row, into, 0),
                rows.diskSizes());
    }

    /** The tile's rows as one packed block: sums to bits, and the record around them. */
    @Benchmark
    public byte[] kafka() {
        return packed.encodeBlock(block(block.cells(), block.sums(), block.diskSizes()), 0);
    }

    /** The tile's rows as bundles, of the bits that were made for Kafka. */
    @Benchmark
    public long store() {
        long bytes = 0;
        for (int from = 0, to; from < block.rows(); from = to) {
            to = bundles.end(block, from);
            bytes += bundles.encode(block, from, to).length;
        }
        return bytes;
    }
}
