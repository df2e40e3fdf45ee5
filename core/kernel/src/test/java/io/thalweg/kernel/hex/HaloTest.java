package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HaloTest {
    @ParameterizedTest(name = "resolution={0} ring={1}")
    @CsvSource({"0,2", "1,1", "2,20", "3,20", "4,20", "5,20", "9,0", "9,1", "9,5", "9,20", "10,20", "15,20"})
    void neighboursNeeding_cellsEverywhere_areTheTilesOfTheWholeDisk(int resolution, int maxRing) {
        requireTilesOfDisks(resolution, maxRing, 60);
    }

    /** A ring as large as several tiles, whose disks have 14,911 cells. */
    @Test
    void neighboursNeeding_ringOfSeveralTiles_areTheTilesOfTheWholeDisk() {
        requireTilesOfDisks(7, 70, 12);
    }

    private static void requireTilesOfDisks(int resolution, int maxRing, int cells) {
        HexTiling tiling = HexTiling.of(resolution);
        Halo halo = new Halo(tiling, maxRing);
        Random random = new Random(resolution * 100L + maxRing);
        for (int n = 0; n < cells; n++) {
            long start = switch (n % 4) {
                case 0 -> Positions.pentagon(resolution, random);
                case 1 -> Positions.randomCell(tiling, random);
                default -> Positions.border(tiling, random);
            };
            long cell = Positions.walk(start, random.nextInt(1 + 2 * maxRing), random);
            long[] expected = tilesOfDisk(tiling, cell, maxRing);
            assertThat(halo.neighboursNeeding(cell)).isEqualTo(expected);
            assertThat(halo.neighboursNeeding(cell)).as("remembered").isEqualTo(expected);
        }
    }

    @Test
    void neighboursNeeding_everyCellOfOneTile_areTheTilesOfTheWholeDisk() {
        HexTiling tiling = HexTiling.of(5);
        Halo halo = new Halo(tiling, 3);
        long tile = tiling.tile(tiling.cell(48.86, 2.35));
        int withNone = 0;
        for (int slot = 0; slot < tiling.slots(); slot++) {
            long cell = tiling.cell(tile, slot);
            long[] near = halo.neighboursNeeding(cell);
            assertThat(near).isEqualTo(tilesOfDisk(tiling, cell, 3));
            withNone += near.length == 0 ? 1 : 0;
        }
        assertThat(withNone).isGreaterThan(tiling.slots() * 8 / 10);
    }

    @Test
    void neighboursNeeding_cellInside_isOneSharedArray() {
        HexTiling tiling = HexTiling.of(9);
        Halo halo = new Halo(tiling, 20);
        long[] first = halo.neighboursNeeding(tiling.cell(tiling.tile(tiling.cell(40.7, -74.0)), 0));
        long[] second = halo.neighboursNeeding(tiling.cell(tiling.tile(tiling.cell(35.7, 139.7)), 0));
        assertThat(first).isEmpty();
        assertThat(second).isSameAs(first);
    }

    @Test
    void constructor_negativeRing_namesIt() {
        assertThatThrownBy(() -> new Halo(HexTiling.of(9), -1)).hasMessage("maxRing must be at least 0, was -1");
    }

    private static long[] tilesOfDisk(HexTiling tiling, long cell, int maxRing) {
        return Arrays.stream(HexTiling.disk(cell, maxRing))
                .map(tiling::tile)
                .filter(tile -> tile != tiling.tile(cell))
                .distinct()
                .sorted()
                .toArray();
    }
}
