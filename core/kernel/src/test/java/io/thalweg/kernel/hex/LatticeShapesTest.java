package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;

import com.uber.h3core.util.CoordIJ;
import com.uber.h3core.util.LatLng;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proves, cell by cell with H3, the lattices that the code assumes.
 *
 * <p>The test covers all tiles of resolution 4 at one ring, and a sample of the others, first of all those around pentagons and
 * at the borders of their base cells. The soak covers all tiles of resolutions 4 and 5, and {@code -Dthalweg.exhaustive=N} those
 * of resolution N; this was done for 6, 7 and 8 (41,162 tiles, ten minutes).
 */
class LatticeShapesTest {
    private static final int LARGEST_RING = 20;
    private static final int SAMPLE = 8;

    @Test
    void lattice_everyTileOfResolutionFour_isGivenIffItHolds() {
        requireProved(4, 3, tiles(4));
    }

    @Tag("soak")
    @ParameterizedTest(name = "resolution={0} ring={1}")
    @MethodSource("exhaustive")
    void lattice_everyTile_isGivenIffItHolds(int resolution, int maxRing) {
        requireProved(resolution, maxRing, tiles(resolution));
    }

    static Stream<Arguments> exhaustive() {
        Stream<Arguments> always =
                Stream.of(Arguments.of(4, LARGEST_RING), Arguments.of(4, 40), Arguments.of(5, LARGEST_RING));
        Integer asked = Integer.getInteger("thalweg.exhaustive");
        return asked == null ? always : Stream.of(Arguments.of(asked, LARGEST_RING));
    }

    @ParameterizedTest(name = "resolution={0}")
    @MethodSource("finer")
    void lattice_sampleOfTiles_isGivenIffItHolds(int resolution) {
        requireProved(resolution, LARGEST_RING, sample(resolution));
    }

    static IntStream finer() {
        return IntStream.rangeClosed(5, 15);
    }

    @ParameterizedTest(name = "resolution={0}")
    @MethodSource("finer")
    void slotPositions_sampleOfTiles_areThoseOfH3(int resolution) {
        HexTiling tiling = HexTiling.of(resolution);
        int[] positions = LatticeShape.slotPositions(tiling);
        for (long tile : sample(resolution).subList(0, 2)) {
            long centre = tiling.cell(tile, 0);
            CoordIJ origin = H3.CORE.cellToLocalIj(centre, centre);
            for (int slot = 0; slot < positions.length; slot += 1 + slot % 11) {
                CoordIJ at = H3.CORE.cellToLocalIj(centre, tiling.cell(tile, slot));
                assertThat(positions[slot]).isEqualTo(LatticeShape.position(at.i - origin.i, at.j - origin.j));
            }
        }
    }

    @Test
    void lattice_tilesAllOverTheWorld_costsMicroseconds() {
        HexTiling tiling = HexTiling.of(9);
        LatticeShapes shapes = new LatticeShapes(tiling, LARGEST_RING);
        Random random = new Random(1);
        long[] tiles = random.longs(2000)
                .map(any -> tiling.tile(Positions.randomCell(tiling, random)))
                .toArray();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begunNanos = threads.getCurrentThreadCpuTime();
        long lattices = Arrays.stream(tiles)
                .filter(tile -> shapes.lattice(tile) != null)
                .count();
        double microsEach = (threads.getCurrentThreadCpuTime() - begunNanos) / 1e3 / tiles.length;

        assertThat(lattices).isGreaterThan(1990);
        assertThat(microsEach).isLessThan(2000); // a proof would take ten thousand
    }

    private static void requireProved(int resolution, int maxRing, List<Long> tiles) {
        HexTiling tiling = HexTiling.of(resolution);
        LatticeShapes shapes = new LatticeShapes(tiling, maxRing);
        LatticeShape shape = LatticeShape.of(LatticeShape.slotPositions(tiling), maxRing);
        for (long tile : tiles) {
            boolean holds =
                    !H3.CORE.isPentagon(tile) && LatticeShapes.holds(new TileLattice(tiling, tile, shape, maxRing));
            assertThat(shapes.lattice(tile) != null)
                    .as("lattice of tile %x with rings to %d", tile, maxRing)
                    .isEqualTo(holds);
        }
    }

    private static List<Long> tiles(int resolution) {
        int tileResolution = HexTiling.of(resolution).tileResolution();
        List<Long> tiles = new ArrayList<>();
        for (long base : H3.CORE.getRes0Cells()) {
            tiles.addAll(tileResolution == 0 ? List.of(base) : H3.CORE.cellToChildren(base, tileResolution));
        }
        return tiles;
    }

    /** Tiles beside a pentagon's tile, at the border of a pentagon's base cell, and anywhere. */
    private static List<Long> sample(int resolution) {
        HexTiling tiling = HexTiling.of(resolution);
        Random random = new Random(resolution);
        Set<Long> tiles = new HashSet<>();
        while (tiles.size() < SAMPLE / 4) {
            tiles.add(Positions.walk(Positions.pentagon(tiling.tileResolution(), random), 1, random));
        }
        while (tiles.size() < SAMPLE / 2) {
            tiles.add(borderOfPentagonsBaseCell(tiling.tileResolution(), random));
        }
        while (tiles.size() < SAMPLE) {
            tiles.add(tiling.tile(Positions.randomCell(tiling, random)));
        }
        List<Long> sample = new ArrayList<>(tiles);
        sample.removeIf(H3.CORE::isPentagon);
        Collections.sort(sample);
        return sample;
    }

    private static long borderOfPentagonsBaseCell(int resolution, Random random) {
        long pentagon = Positions.pentagon(0, random);
        long low = H3.CORE.cellToCenterChild(pentagon, resolution);
        long high = H3.CORE.cellToCenterChild(Positions.walk(pentagon, 1, random), resolution);
        return lastOnTheWay(low, high, resolution);
    }

    /** Bisects the line between the centres of two cells for the last cell in the base cell of the first. */
    private static long lastOnTheWay(long from, long to, int resolution) {
        long base = H3.CORE.cellToParent(from, 0);
        long last = from;
        LatLng a = H3.CORE.cellToLatLng(from);
        LatLng b = H3.CORE.cellToLatLng(to);
        double inside = 0;
        double outside = 1;
        for (int n = 0; n < 60; n++) {
            double part = (inside + outside) / 2;
            long cell = H3.CORE.latLngToCell(
                    a.lat + part * (b.lat - a.lat), a.lng + part * shortWay(b.lng - a.lng), resolution);
            if (H3.CORE.cellToParent(cell, 0) == base) {
                inside = part;
                last = cell;
            } else {
                outside = part;
            }
        }
        return last;
    }

    private static double shortWay(double degrees) {
        return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
    }
}
