package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TileFeatures;
import io.thalweg.kernel.hex.TileRows;
import io.thalweg.kernel.pane.PositionCounts;
import io.thalweg.model.Views;
import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedTileTest {
    private static final FeatureView DEMAND = Views.demand();

    /** Few riders, more riders than an int can count, and a pentagon's tile. */
    @ParameterizedTest(name = "{0} riders a place")
    @ValueSource(ints = {1, 100_000, 2_000_000_000})
    void block_ofATilesRows_isWhatTheirNumbersMake(int riders) {
        HexRowCodec codec = new HexRowCodec(DEMAND);
        PackedTile packed = new PackedTile(DEMAND);
        HexTiling tiling = HexTiling.of(9);
        int[] rings = DEMAND.rings().stream().mapToInt(Integer::intValue).toArray();
        TileFeatures features = new TileFeatures(tiling, rings, DEMAND.windows().panes());
        for (long tile : new long[] {tiling.tile(tiling.cell(40.75, -73.98)), tiling.tile(0x89080000003ffffL)}) {
            Random random = new Random(riders);
            PositionCounts[] panes = new PositionCounts[40];
            Arrays.setAll(panes, pane -> riders(features, tiling, tile, riders, random));
            TileRows rows = features.assemble(tile, back -> panes[back]);
            features.assemble(tile, back -> panes[back], packed);
            List<Object> group = GroupCodecTest.random(DEMAND.group(), random);
            assertThat(packed.rows()).isEqualTo(rows.rows()).isPositive();
            int from = rows.rows() / 3;
            int to = rows.rows() - 1;

            HexRowBlock actual = packed.block(BlockHead.ofFinal("demand", 3, 60_000), group, from, to);

            HexRowBlock block = new HexRowBlock(
                    BlockHead.ofFinal("demand", 3, 60_000),
                    tile,
                    group,
                    rows.cells(from, to),
                    rows.sums(from, to),
                    rows.diskSizes(from, to));
            assertThat(codec.encodeBlock(actual, 7)).isEqualTo(codec.encodeBlock(block, 7));
            assertThat(actual.sums()).isEqualTo(block.sums());
            assertThat(actual.diskSizes()).isEqualTo(block.diskSizes());
        }
    }

    private static PositionCounts riders(
            TileFeatures features, HexTiling tiling, long tile, int riders, Random random) {
        int[] places = random.ints(9, 0, tiling.slots())
                .filter(slot -> Integer.toString(slot, 7).charAt(0) != '1') // a pentagon's tile lacks these
                .map(slot -> features.position(tile, tiling.cell(tile, slot)))
                .distinct()
                .sorted()
                .toArray();
        int[] counts = random.ints(places.length, 1, 1 + riders).toArray();
        return PositionCounts.of(places, counts);
    }
}
