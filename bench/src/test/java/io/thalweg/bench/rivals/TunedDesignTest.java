package io.thalweg.bench.rivals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The grid on which the tuned rival sums its counts, compared with H3's own disks. */
class TunedDesignTest {
    private static final int COUNTS = 60;

    @ParameterizedTest
    @CsvSource({"40.7, -74.0", "-23.5, -46.6", "6.5, 3.4", "35.7, 139.7", "-33.9, 151.2"})
    void grid_ofRandomCounts_hasTheSumsOfTheirDisks(double lat, double lng) {
        TunedDesign.Grid grid = new TunedDesign.Grid();
        grid.moveTo(tile(Hexagons.cell(48.1, 11.6))); // leftovers of another tile must not count
        grid.spread(Hexagons.cell(48.1, 11.6), 7);
        long tile = tile(Hexagons.cell(lat, lng));
        List<Long> cells = Hexagons.H3.cellToChildren(tile, Hexagons.RESOLUTION);
        SplittableRandom random = new SplittableRandom(1);
        Map<Long, int[]> expected = new HashMap<>();

        grid.moveTo(tile);
        for (int i = 0; i < COUNTS; i++) {
            long cell = cells.get(random.nextInt(cells.size()));
            int count = random.nextInt(1, 5);
            grid.spread(cell, count);
            List<List<Long>> around = Hexagons.H3.gridDiskDistances(cell, Hexagons.LARGEST_RING);
            for (int distance = 0; distance < around.size(); distance++) {
                int ring = Hexagons.ring(distance);
                for (long near : around.get(distance)) {
                    expected.computeIfAbsent(near, each -> new int[Hexagons.RINGS.length])[ring] += count;
                }
            }
        }

        Map<Long, int[]> found = new HashMap<>();
        grid.byTile().forEach((near, counts) -> {
            for (int i = 0; i < counts.cells().length; i++) {
                assertThat(tile(counts.cells()[i])).isEqualTo(near);
                int[] rings = new int[Hexagons.RINGS.length];
                System.arraycopy(counts.rings(), i * rings.length, rings, 0, rings.length);
                assertThat(found.put(counts.cells()[i], rings)).isNull();
            }
        });
        assertThat(found)
                .hasSameSizeAs(expected)
                .allSatisfy((cell, rings) -> assertThat(rings).isEqualTo(expected.get(cell)));
    }

    private static long tile(long cell) {
        return Hexagons.H3.cellToParent(cell, TunedDesign.TILE_RESOLUTION);
    }
}
