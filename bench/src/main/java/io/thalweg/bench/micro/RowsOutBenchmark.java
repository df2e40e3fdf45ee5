package io.thalweg.bench.micro;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.PositionCounts;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.PackedBundles;
import io.thalweg.model.row.PackedTile;
import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does it cost to write a row of 54 features, by step: its sums, its bits for Kafka, its bits for the embedded store?
 *
 * <p>A city of the pipeline's full-size load: every minute some 300 riders within ten cells of its centre, so rows within 30.
 * Time is per row. Run: {@code ./thalweg bench micro RowsOut}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = {"-Xmx1g", "--add-modules", "jdk.incubator.vector"}) // vectors, as in a job's process
public class RowsOutBenchmark {
    private static final int RIDERS = 269;
    private static final int RADIUS = 10;
    /** The cells of a disk of radius 30. */
    private static final int ROWS = 2791;

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
    private final PositionCounts[] panes = new PositionCounts[VIEW.windows().largestPanes() + 1];
    private final HexRowCodec packed = new HexRowCodec(VIEW);
    private final PackedTile packedTile = new PackedTile(VIEW);
    private final PackedBundles bundles = new PackedBundles(VIEW);
    private HexRowBlock block = block(new long[0], new long[0], null);

    /** Draws the counts. */
    @Setup
    public void setup() {
        Random random = new Random(1);
        int[] asked = Arrays.stream(HexTiling.disk(tiling.cell(tile, 0), RADIUS))
                .mapToInt(cell -> features.position(tile, cell))
                .toArray();
        Arrays.setAll(panes, pane -> PositionCounts.NONE);
        for (int pane = 1; pane < panes.length; pane++) {
            Map<Integer, Long> riders = random.ints(RIDERS, 0, asked.length)
                    .mapToObj(n -> asked[n])
                    .collect(Collectors.groupingBy(place -> place, TreeMap::new, Collectors.counting()));
            panes[pane] = PositionCounts.of(
                    riders.keySet().stream().mapToInt(Integer::intValue).toArray(),
                    riders.values().stream().mapToInt(Long::intValue).toArray());
        }
        block = block();
        if (block.rows() != ROWS) {
            throw new IllegalStateException("the city has " + block.rows() + " rows");
        }
    }

    private HexRowBlock block() {
        TileRows rows = rows();
        return block(rows.cells(), rows.sums(), rows.diskSizes());
    }

    private TileRows rows() {
        return features.assemble(tile, this::pane);
    }

    private PositionCounts pane(int panesBack) {
        return panesBack < panes.length ? panes[panesBack] : PositionCounts.NONE;
    }

    private HexRowBlock block(long[] cells, long[] sums, int @Nullable [] diskSizes) {
        return new HexRowBlock(BlockHead.ofFinal("demand", 0, 60_000), tile, List.of(), cells, sums, diskSizes);
    }

    /** The tile's sums from its panes. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public HexRowBlock assemble() {
        return block();
    }

    /** The tile's sums from its panes, directly as bits. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public HexRowBlock assembleBits() {
        features.assemble(tile, this::pane, packedTile);
        return packedTile.block(BlockHead.ofFinal("demand", 0, 60_000), List.of(), 0, packedTile.rows());
    }

    /** The tile's rows as one packed block: converts sums to bits and writes the record around them. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public byte[] kafka() {
        return packed.encodeBlock(block(block.cells(), block.sums(), block.diskSizes()), 0);
    }

    /** The tile's rows as bundles, from the bits that were made for Kafka. */
    @Benchmark
    @OperationsPerInvocation(ROWS)
    public long store() {
        long bytes = 0;
        for (int from = 0, to; from < block.rows(); from = to) {
            to = bundles.end(block, from);
            bytes += bundles.encode(block, from, to).length;
        }
        return bytes;
    }
}
