package io.thalweg.kernel.hex;

import static org.assertj.core.api.Assertions.assertThat;

import com.uber.h3core.util.LatLng;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the finder with H3 at a million points. */
class CellFinderTest {
    private static final int POINTS = 10_000;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void cell_pointsAllOverTheEarth_agreesWithH3(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < POINTS; i++) {
            double lat = Math.toDegrees(Math.asin(random.nextDouble(-1, 1)));
            check(random, lat, random.nextDouble(-180, 180));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void cell_pointsOfACity_agreesWithH3(long seed) {
        Random random = new Random(seed);
        double lat = random.nextDouble(-89, 89);
        double lng = random.nextDouble(-179, 179);
        for (int i = 0; i < 2 * POINTS; i++) {
            check(random, lat + random.nextDouble(-0.5, 0.5), lng + random.nextDouble(-0.5, 0.5));
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void cell_cornersAndCentresOfCells_agreesWithH3(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < POINTS / 10; i++) {
            long cell = HexTiling.of(random.nextInt(16))
                    .cell(Math.toDegrees(Math.asin(random.nextDouble(-1, 1))), random.nextDouble(-180, 180));
            List<LatLng> border = H3.CORE.cellToBoundary(cell);
            LatLng a = border.get(0);
            LatLng b = border.get(1);
            double part = random.nextDouble();
            LatLng centre = H3.CORE.cellToLatLng(cell);
            for (double[] point : new double[][] {
                {a.lat, a.lng},
                {a.lat + part * (b.lat - a.lat), a.lng + part * (b.lng - a.lng)},
                {centre.lat, centre.lng}
            }) {
                checkAround(random, HexTiling.resolution(cell), point[0], point[1]);
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void cell_aroundSpecialPositions_agreesWithH3(long seed) {
        Random random = new Random(seed);
        List<Long> pentagons = List.copyOf(H3.CORE.getPentagons(0));
        for (int i = 0; i < POINTS / 10; i++) {
            LatLng a = H3.CORE.cellToLatLng(pentagons.get(random.nextInt(12)));
            LatLng b = H3.CORE.cellToLatLng(pentagons.get(random.nextInt(12)));
            LatLng c = H3.CORE.cellToLatLng(pentagons.get(random.nextInt(12)));
            double part = random.nextDouble();
            // Corners, edges and centres of faces, and other positions between corners.
            checkBetween(random, a, a, b, 0);
            checkBetween(random, a, b, b, part);
            checkBetween(random, a, b, c, 0.5);
            checkAround(random, random.nextInt(16), random.nextBoolean() ? 90 : -90, random.nextDouble(-180, 180));
            checkAround(random, random.nextInt(16), random.nextDouble(-90, 90), random.nextBoolean() ? 180 : -180);
            checkAround(random, random.nextInt(16), 0, 0);
        }
    }

    @Test
    void cell_pointsOfACity_hardlyAsksH3() {
        for (int resolution = 4; resolution < 16; resolution++) {
            Random random = new Random(resolution);
            CellFinder finder = new CellFinder(HexTiling.of(resolution));
            double degrees = Math.min(5, 1000 / Math.pow(Math.sqrt(7), resolution));
            for (int i = 0; i < POINTS; i++) {
                finder.cell(40.75 + degrees * random.nextDouble(), -73.98 + degrees * random.nextDouble());
            }
            assertThat(finder.asked()).as("resolution %d", resolution).isLessThan(POINTS / 50);
        }
    }

    /** Checks the point {@code (1 - part) a + part (b + c) / 2} up to length; 1/2 and 2/3 are special. */
    private static void checkBetween(Random random, LatLng a, LatLng b, LatLng c, double part) {
        double share = part == 0.5 ? 2.0 / 3 : part;
        double x = (1 - share) * x(a) + share * (x(b) + x(c)) / 2;
        double y = (1 - share) * y(a) + share * (y(b) + y(c)) / 2;
        double z = (1 - share) * z(a) + share * (z(b) + z(c)) / 2;
        double lat = Math.toDegrees(Math.atan2(z, Math.hypot(x, y)));
        checkAround(random, random.nextInt(16), lat, Math.toDegrees(Math.atan2(y, x)));
    }

    private static double x(LatLng point) {
        return Math.cos(Math.toRadians(point.lat)) * Math.cos(Math.toRadians(point.lng));
    }

    private static double y(LatLng point) {
        return Math.cos(Math.toRadians(point.lat)) * Math.sin(Math.toRadians(point.lng));
    }

    private static double z(LatLng point) {
        return Math.sin(Math.toRadians(point.lat));
    }

    /** Checks two points at each of several distances, from 0 to a hundred kilometres. */
    private static void checkAround(Random random, int resolution, double lat, double lng) {
        for (double distance = 1e-15; distance < 1; distance *= 1000) {
            check(resolution, lat + random.nextDouble(-1, 1) * distance, lng + random.nextDouble(-1, 1) * distance);
            check(resolution, lat, lng + random.nextDouble(-1, 1) * distance);
        }
    }

    private static void check(Random random, double lat, double lng) {
        check(random.nextInt(16), lat, lng);
    }

    private static final CellFinder[] FINDERS = new CellFinder[16];

    static {
        for (int resolution = 0; resolution < 16; resolution++) {
            FINDERS[resolution] = new CellFinder(HexTiling.of(resolution));
        }
    }

    private static void check(int resolution, double anyLat, double anyLng) {
        double lat = Math.max(-90, Math.min(90, anyLat));
        double lng = Math.max(-180, Math.min(180, anyLng));
        long cell = FINDERS[resolution].cell(lat, lng);
        long expected = H3.CORE.latLngToCell(lat, lng, resolution);
        if (cell != expected) {
            assertThat(Long.toHexString(cell))
                    .as("resolution %d at %s, %s", resolution, lat, lng)
                    .isEqualTo(Long.toHexString(expected));
        }
    }
}
