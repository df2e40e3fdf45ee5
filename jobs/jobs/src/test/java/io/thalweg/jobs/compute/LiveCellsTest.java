package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.api.v1.LiveKey;
import io.thalweg.api.v1.LiveRow;
import io.thalweg.api.v1.LiveStatus;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.live.LiveView;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the open pane's count of a cell, read while the operator counts, with a set of riders per cell. */
class LiveCellsTest {
    private static final long MINUTE = 60_000;
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: rider-events}
                    entities:
                      - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
                      - {name: product, field: product_id, type: uuid}
                    measure: {count_distinct: rider_id, type: uuid}
                    rings: [0, 1]
                    windows: {sizes: [1m, 2m], every: 1m}
                    """, "demand.yaml").views().get(0);
    private static final HexTiling TILING = HexTiling.of(9);
    private static final long[] TILES = {TILING.tile(TILING.cell(40.73, -73.99)), TILING.tile(TILING.cell(51.5, 0))};
    private static final String JOB = "live-cells-test";

    private final LiveView keys = new LiveView(VIEW);
    private final GroupCodec groups = new GroupCodec(VIEW.group());

    static LongStream seeds() {
        return Seeds.seeds().limit(5);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void read_whileThePaneFills_isTheNumberOfDistinctRidersSoFar(long seed) throws Exception {
        Random random = new Random(seed);
        Map<String, Set<Long>> riders = new HashMap<>();
        long pane = 28_000_000;
        AccumulateOperator operator = new AccumulateOperator(VIEW, JOB, true);
        try (var harness = new LiveHarness<>(operator, ShardBlock::recordKey, SliceBlock.TYPE, JOB)) {
            harness.watermark(pane * MINUTE);
            for (int i = 0; i < 20; i++) {
                harness.send(block(random, pane, riders));
                if (random.nextInt(5) == 0) {
                    pane++;
                    harness.watermark(pane * MINUTE + 1);
                }
                List<String> asked = new ArrayList<>();
                List<LiveKey> request = new ArrayList<>();
                for (int k = 0; k < 40; k++) {
                    long cell = cell(random);
                    String product = product(random);
                    asked.add(pane + "/" + cell + "/" + product);
                    request.add(keys.key(cell, List.of(product)));
                }

                List<LiveRow> rows = harness.read(keys, request);

                for (int k = 0; k < rows.size(); k++) {
                    int expected = riders.getOrDefault(asked.get(k), Set.of()).size();
                    assertThat(rows.get(k).getCount()).isEqualTo(expected);
                    assertThat(rows.get(k).getStatus()).isEqualTo(expected == 0 ? LiveStatus.EMPTY : LiveStatus.FOUND);
                    assertThat(rows.get(k).getWindowEndMs()).isEqualTo((pane + 1) * MINUTE);
                }
            }
        }
    }

    private ShardBlock block(Random random, long pane, Map<String, Set<Long>> riders) {
        long tile = TILES[random.nextInt(TILES.length)];
        String product = product(random);
        int events = 1 + random.nextInt(30);
        long[] panes = new long[events];
        int[] slots = new int[events];
        long[] high = new long[events];
        long[] low = new long[events];
        for (int e = 0; e < events; e++) {
            panes[e] = pane + random.nextInt(2); // also of the pane after the open one
            slots[e] = random.nextInt(8);
            low[e] = random.nextInt(20);
            riders.computeIfAbsent(panes[e] + "/" + TILING.cell(tile, slots[e]) + "/" + product, key -> new HashSet<>())
                    .add(low[e]);
        }
        TileGroup lot = new TileGroup(tile, groups.encode(List.of(product)));
        return new ShardBlock(Shards.of(tile), new TileGroup[] {lot}, new int[events], panes, slots, high, low);
    }

    private static long cell(Random random) {
        return TILING.cell(TILES[random.nextInt(TILES.length)], random.nextInt(9));
    }

    private static String product(Random random) {
        return new UUID(1, 1 + random.nextInt(2)).toString();
    }
}
