package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HexTilingTest {
    static IntStream resolutions() {
        return IntStream.rangeClosed(0, 15);
    }

    @ParameterizedTest(name = "resolution={0}")
    @MethodSource("resolutions")
    void tileAndSlot_randomCells_leadBackToTheCell(int resolution) {
        HexTiling tiling = HexTiling.of(resolution);
        Random random = new Random(resolution);
        for (int n = 0; n < 500; n++) {
            long cell = Positions.randomCell(tiling, random);
            long tile = tiling.tile(cell);
            assertThat(tile).isEqualTo(H3.CORE.cellToParent(cell, tiling.tileResolution()));
            assertThat(tiling.slot(cell)).isBetween(0, tiling.slots() - 1);
            assertThat(tiling.cell(tile, tiling.slot(cell))).isEqualTo(cell);
            assertThat(HexTiling.resolution(cell)).isEqualTo(resolution);
            assertThat(HexTiling.isValidCell(cell)).isTrue();
        }
    }

    @ParameterizedTest(name = "resolution={0}")
    @ValueSource(ints = {0, 1, 3, 4, 5, 9, 15})
    void slots_ofATile_areItsChildrenInIndexOrder(int resolution) {
        HexTiling tiling = HexTiling.of(resolution);
        Random random = new Random(resolution);
        long plain = tiling.tile(Positions.randomCell(tiling, random));
        long pentagon = Positions.pentagon(tiling.tileResolution(), random);
        for (long tile : new long[] {plain, pentagon}) {
            long[] cells = IntStream.range(0, tiling.slots())
                    .mapToLong(slot -> tiling.cell(tile, slot))
                    .filter(HexTiling::isValidCell)
                    .toArray();
            assertThat(cells)
                    .isSorted()
                    .containsExactlyInAnyOrder(HexTiling.unboxed(H3.CORE.cellToChildren(tile, resolution)));
        }
        assertThat(tiling.fewestCells())
                .isEqualTo(H3.CORE.cellToChildren(pentagon, resolution).size());
    }

    @Test
    void of_resolutionNine_hasTilesOfResolutionFour() {
        HexTiling tiling = HexTiling.of(9);
        assertThat(tiling.tileResolution()).isEqualTo(4);
        assertThat(tiling.slots()).isEqualTo(16_807);
    }

    @Test
    void of_resolutionOutOfRange_namesIt() {
        assertThatThrownBy(() -> HexTiling.of(16)).hasMessage("resolution must lie in 0..15, was 16");
    }
}
