package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.uber.h3core.util.LatLng;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AreaCellsTest {
    private static final int COARSE = 3;
    private static final int MANY = 1_000_000;
    /** All 41,162 cells of resolution 3, ascending. */
    private static final long[] WORLD = all(COARSE);

    private static final LatLng[] CENTRES =
            LongStream.of(WORLD).mapToObj(H3.CORE::cellToLatLng).toArray(LatLng[]::new);

    private static long[] all(int resolution) {
        return H3.CORE.getRes0Cells().stream()
                .flatMap(base -> H3.CORE.cellToChildren(base, resolution).stream())
                .mapToLong(cell -> cell)
                .sorted()
                .toArray();
    }

    /** The naive implementation: tests the centre of each cell of the earth. */
    private static long[] naive(Predicate<LatLng> isIn) {
        return IntStream.range(0, WORLD.length)
                .filter(i -> isIn.test(CENTRES[i]))
                .mapToLong(i -> WORLD[i])
                .toArray();
    }

    /** Boxes of any size, across the antimeridian, at poles and pentagons. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void in_box_areTheCellsWhoseCentresAreBetween(long seed) {
        Random random = new Random(seed);
        double[] lat = random.doubles(2, -90, 90).sorted().toArray();
        double west = random.nextDouble(-180, 180);
        double width = random.nextBoolean() ? random.nextDouble(360) : random.nextDouble(5);
        double east = west + width > 180 ? west + width - 360 : west + width;
        if (random.nextInt(4) == 0) {
            lat[random.nextInt(2)] = random.nextBoolean() ? 90 : -90;
            Arrays.sort(lat);
        }
        long[] expected = naive(at -> {
            boolean between = at.lng >= west && at.lng <= east;
            boolean around = west > east && (at.lng >= west || at.lng <= east);
            return at.lat >= lat[0] && at.lat <= lat[1] && (between || around);
        });
        assertThat(in(new GeoBox(west, lat[0], east, lat[1]))).isEqualTo(expected);
    }

    private static long[] in(GeoArea area) {
        return AreaCells.in(area, COARSE, MANY).orElseThrow();
    }

    /** Stars around any position, also across the antimeridian; compared with every cell's centre. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void in_ring_areTheCellsWhoseCentresItSurrounds(long seed) {
        Random random = new Random(seed);
        double middleLat = random.nextDouble(-60, 60);
        double middleLng = random.nextDouble(-180, 180);
        double size = random.nextBoolean() ? 25 : 3;
        int points = 3 + random.nextInt(40);
        double[] lat = new double[points];
        double[] lng = new double[points];
        double[] flat = new double[points];
        for (int i = 0; i < points; i++) {
            double angle = 2 * Math.PI * i / points;
            double radius = size * random.nextDouble(0.2, 1);
            lat[i] = middleLat + radius * Math.sin(angle);
            flat[i] = middleLng + radius * Math.cos(angle);
            lng[i] = flat[i] > 180 ? flat[i] - 360 : flat[i] < -180 ? flat[i] + 360 : flat[i];
        }
        long[] expected = naive(at -> {
            double nearest = at.lng + 360 * Math.rint((middleLng - at.lng) / 360);
            return surrounded(lat, flat, at.lat, nearest);
        });
        assertThat(in(new GeoRing(lat, lng))).isEqualTo(expected);
    }

    /** Counts how often the line turns around a point. */
    private static boolean surrounded(double[] lat, double[] lng, double y, double x) {
        double turned = 0;
        for (int i = 0; i < lat.length; i++) {
            int next = (i + 1) % lat.length;
            double from = Math.atan2(lat[i] - y, lng[i] - x);
            double turn = Math.atan2(lat[next] - y, lng[next] - x) - from;
            turned += turn - 2 * Math.PI * Math.rint(turn / (2 * Math.PI));
        }
        return Math.abs(turned) > 1;
    }

    /** H3, which uses another algorithm, finds the same cells in a city. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void in_ringInACity_areTheCellsOfH3(long seed) {
        Random random = new Random(seed);
        double[][] cities = {{40.75, -73.98}, {1.35, 103.8}, {-23.5, -46.6}, {78.2, 15.6}, {64.7, 10.5}};
        double[] city = cities[random.nextInt(cities.length)];
        List<LatLng> corners = IntStream.range(0, 12)
                .mapToObj(i -> new LatLng(
                        city[0] + random.nextDouble(0.02, 0.1) * Math.sin(i * Math.PI / 6),
                        city[1] + random.nextDouble(0.02, 0.1) * Math.cos(i * Math.PI / 6)))
                .toList();
        GeoRing ring = new GeoRing(
                corners.stream().mapToDouble(at -> at.lat).toArray(),
                corners.stream().mapToDouble(at -> at.lng).toArray());

        assertThat(AreaCells.in(ring, 9, MANY).orElseThrow())
                .isEqualTo(H3.CORE.polygonToCells(corners, List.of(), 9).stream()
                        .mapToLong(cell -> cell)
                        .sorted()
                        .toArray());
    }

    /** The descent of the tree relies on this; checked over all base cells and some of the finer ones. */
    @Test
    void reach_isMoreThanTheDistanceOfAnyDescendant() {
        double widest = 0;
        for (long base : H3.CORE.getRes0Cells()) {
            widest = Math.max(widest, reach(base, 3));
        }
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            int level = 1 + random.nextInt(10);
            long cell = H3.CORE.latLngToCell(random.nextDouble(-90, 90), random.nextDouble(-180, 180), level);
            widest = Math.max(widest, reach(cell, 3) * Math.pow(7, level / 2.0));
        }
        assertThat(widest).isBetween(0.7 * AreaCells.REACH_DEG, 0.95 * AreaCells.REACH_DEG);
    }

    private static double reach(long cell, int levels) {
        LatLng centre = H3.CORE.cellToLatLng(cell);
        return H3.CORE.cellToChildren(cell, HexTiling.resolution(cell) + levels).stream()
                .mapToDouble(child -> degrees(centre, H3.CORE.cellToLatLng(child)))
                .max()
                .orElseThrow();
    }

    private static double degrees(LatLng a, LatLng b) {
        double cos = Math.sin(Math.toRadians(a.lat)) * Math.sin(Math.toRadians(b.lat))
                + Math.cos(Math.toRadians(a.lat))
                        * Math.cos(Math.toRadians(b.lat))
                        * Math.cos(Math.toRadians(a.lng - b.lng));
        return Math.toDegrees(Math.acos(Math.min(1, cos)));
    }

    @Test
    void in_wholeEarth_isEveryCell() {
        assertThat(in(new GeoBox(-180, -90, 180, 90))).isEqualTo(WORLD);
    }

    @Test
    void in_moreCellsThanAllowed_isEmpty() {
        GeoBox newYork = new GeoBox(-74.05, 40.68, -73.90, 40.82);
        int cells = AreaCells.in(newYork, 9, MANY).orElseThrow().length;

        assertThat(AreaCells.in(newYork, 9, cells)).isPresent();
        assertThat(AreaCells.in(newYork, 9, cells - 1)).isEmpty();
        assertThat(AreaCells.in(newYork, 15, 200_000)).isEmpty();
        assertThat(AreaCells.about(newYork, 15) / (cells * Math.pow(7, 6))).isBetween(0.7, 1.4);
        assertThat(AreaCells.in(new GeoBox(-180, -90, 180, 90), 15, 200_000)).isEmpty();
    }

    @Test
    void about_areas_isNearTheNumberOfCells() {
        GeoBox box = new GeoBox(170, -10, -160, 30);
        GeoRing ring = new GeoRing(new double[] {-10, -10, 30, 30}, new double[] {170, -160, -160, 170});
        assertThat(AreaCells.about(box, COARSE)).isCloseTo(in(box).length, withinPercentage(20));
        assertThat(AreaCells.about(ring, COARSE)).isCloseTo(AreaCells.about(box, COARSE), withinPercentage(0.001));
        assertThat(AreaCells.about(new GeoBox(-180, -90, 180, 90), COARSE)).isEqualTo(WORLD.length);
    }

    /** A line around the earth has millions of cells beside it, and no cell in it. */
    @Test
    void in_sliver_endsSoon() {
        Optional<long[]> found = AreaCells.in(new GeoBox(-180, 40, 180, 40), 15, 200_000);
        assertThat(found).isEmpty();
    }

    @Test
    void below_cellOrPentagon_areItsDescendants() {
        for (long parent : new long[] {0x8009fffffffffffL, 0x852a1007fffffffL}) {
            int resolution = HexTiling.resolution(parent) + 4;
            long[] expected = HexTiling.unboxed(H3.CORE.cellToChildren(parent, resolution));
            Arrays.sort(expected);
            assertThat(AreaCells.below(parent, resolution, MANY)).contains(expected);
            assertThat(AreaCells.count(parent, resolution)).isEqualTo(expected.length);
            assertThat(AreaCells.below(parent, resolution, expected.length - 1)).isEmpty();
        }
    }

    @Test
    void ring_thatIsNone_namesTheRule() {
        assertThatThrownBy(() -> new GeoRing(new double[] {1, 2, 1}, new double[] {1, 2, 1}))
                .hasMessage("must have at least 3 different points, had 2");
        assertThatThrownBy(() -> new GeoRing(new double[] {1, 2, 91}, new double[] {1, 2, 3}))
                .hasMessageContaining("point 2 must be a longitude");
        assertThatThrownBy(() -> new GeoRing(new double[] {80, 80, Double.NaN}, new double[] {1, 2, 3}))
                .hasMessageContaining("point 2 must be");
        assertThatThrownBy(() -> new GeoRing(new double[] {80, 80, 80}, new double[] {0, 120, -120}))
                .hasMessageContaining("must not surround a pole");
    }

    @Test
    void box_thatIsNone_namesTheRule() {
        assertThatThrownBy(() -> new GeoBox(-181, 0, 0, 1))
                .hasMessageContaining("west and east must be from -180 to 180");
        assertThatThrownBy(() -> new GeoBox(0, 2, 0, 1)).hasMessageContaining("south and north must be");
        assertThatThrownBy(() -> new GeoBox(0, Double.NaN, 0, 1)).hasMessageContaining("south and north must be");
    }
}
