package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.demand.RowTopic.PackedHead;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PackedHeadTest {
    @Test
    void parse_blockOfThePackedCodec_readsItsHead() throws Exception {
        FeatureView view = Definitions.parse(TestBed.definitions(Setup.usual(1, 10)), "demand.yaml")
                .views()
                .get(0);
        HexTiling tiling = HexTiling.of(Cities.RESOLUTION);
        long[] cells = HexTiling.disk(tiling.cell(40.7, -74), 9);
        Arrays.sort(cells);
        long[] sums = new long[cells.length * view.featureNames().size()];
        Arrays.fill(sums, 7);
        long tile = tiling.tile(cells[0]);
        HexRowBlock block = new HexRowBlock(
                BlockHead.ofFinal("demand", 200, 60_000), tile, List.of(Cities.product(1)), cells, sums, null);
        byte[] bytes = new HexRowCodec(view).encodeBlock(block, 61_234);
        assertThat(bytes[0]).isEqualTo(PackedHead.MAGIC);
        assertThat(PackedHead.parse(bytes)).isEqualTo(new PackedHead(60_000, 61_234, tile, cells.length));
    }
}
