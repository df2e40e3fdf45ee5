package io.thalweg.devkit;

import io.thalweg.records.generate.SplitMix;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Locates people: most are around hot spots that wander slowly, some anywhere. A person's place is a function of the person
 * and the time, so that the repeats of one minute fall into the same cell or the next.
 */
final class CityMap {
    private static final double KM_PER_DEGREE = 111.195;
    private static final int TABLE = 4_096;
    private static final int DRAWS = 256;
    /** The number of people out of 256 that no hot spot attracts. */
    private static final int ANYWHERE = 36;

    private static final long HALF_HOUR_MS = 1_800_000;
    private static final double SPREAD_KM = 0.55;
    private static final double WANDER_KM = 0.8;
    private static final double STEP_KM = 0.02;
    /** The corners of a circle on a map. */
    private static final int CORNERS = 64;

    private final CityConfig config;
    private final double kmPerDegreeLng;
    private final double[] cos = new double[TABLE];
    private final double[] sin = new double[TABLE];
    private final double[] normal = new double[TABLE];
    private final int[] spotOfDraw = new int[DRAWS];
    private final double[] baseEastKm;
    private final double[] baseNorthKm;
    private final double[] periodMs;
    private final double[] eastKm;
    private final double[] northKm;

    private double lat;
    private double lng;

    CityMap(CityConfig config) {
        this.config = config;
        kmPerDegreeLng = KM_PER_DEGREE * StrictMath.cos(StrictMath.toRadians(config.centreLat()));
        SplitMix random = new SplitMix(SplitMix.hash(config.seed(), 0x5107));
        for (int i = 0; i < TABLE; i++) {
            cos[i] = StrictMath.cos(2 * Math.PI * i / TABLE);
            sin[i] = StrictMath.sin(2 * Math.PI * i / TABLE);
            // Box and Muller's normal deviate; 1 - u keeps the logarithm finite.
            normal[i] = Math.sqrt(-2 * StrictMath.log(1 - random.nextDouble())) * cos[random.nextInt(TABLE)];
        }
        int spots = config.hotSpots();
        baseEastKm = new double[spots];
        baseNorthKm = new double[spots];
        periodMs = new double[spots];
        eastKm = new double[spots];
        northKm = new double[spots];
        for (int i = 0; i < spots; i++) {
            int direction = random.nextInt(TABLE);
            double distanceKm = 0.8 * config.radiusKm() * random.nextDouble();
            baseEastKm[i] = distanceKm * cos[direction];
            baseNorthKm[i] = distanceKm * sin[direction];
            periodMs[i] = (20 + 40 * random.nextDouble()) * 60_000;
        }
        shareOut(spots);
    }

    /** Assigns draws to spots: the second spot attracts half as many as the first, the third a third. */
    private void shareOut(int spots) {
        double total = 0;
        for (int i = 1; i <= spots; i++) {
            total += 1.0 / i;
        }
        double upTo = 0;
        int draw = 0;
        for (int i = 0; i < spots; i++) {
            upTo += 1.0 / (i + 1);
            int end = i == spots - 1 ? DRAWS - ANYWHERE : (int) Math.round(upTo / total * (DRAWS - ANYWHERE));
            while (draw < end) {
                spotOfDraw[draw++] = i;
            }
        }
        while (draw < DRAWS) {
            spotOfDraw[draw++] = -1;
        }
    }

    /** Moves the hot spots to their positions at this time. */
    void at(long timeMs) {
        for (int i = 0; i < eastKm.length; i++) {
            double turn = Math.floorMod(timeMs, (long) periodMs[i]) / periodMs[i];
            eastKm[i] = baseEastKm[i] + WANDER_KM * StrictMath.cos(2 * Math.PI * turn);
            northKm[i] = baseNorthKm[i] + WANDER_KM * StrictMath.sin(2 * Math.PI * turn);
        }
    }

    /** Returns the city as GeoJSON: its edge, and the path of each wandering hot spot. */
    String geoJson() {
        StringBuilder features = new StringBuilder(circle("Polygon", 0, 0, config.radiusKm()));
        for (int i = 0; i < baseEastKm.length; i++) {
            features.append(',').append(circle("LineString", baseEastKm[i], baseNorthKm[i], WANDER_KM));
        }
        return "{\"type\":\"FeatureCollection\",\"features\":[" + features + "]}";
    }

    private String circle(String type, double eastKm, double northKm, double radiusKm) {
        String positions = IntStream.rangeClosed(0, CORNERS)
                .map(corner -> corner % CORNERS * (TABLE / CORNERS))
                .mapToObj(turn -> String.format(
                        Locale.ROOT,
                        "[%.6f,%.6f]",
                        config.centreLng() + (eastKm + radiusKm * cos[turn]) / kmPerDegreeLng,
                        config.centreLat() + (northKm + radiusKm * sin[turn]) / KM_PER_DEGREE))
                .collect(Collectors.joining(",", "[", "]"));
        return "{\"type\":\"Feature\",\"properties\":{},\"geometry\":{\"type\":\"%s\",\"coordinates\":%s}}"
                .formatted(type, type.equals("Polygon") ? "[" + positions + "]" : positions);
    }

    /** Places a person; {@link #latMicro} and {@link #lngMicro} return the position. */
    void place(long person, long timeMs, SplitMix random) {
        long whim = SplitMix.hash(person, Math.floorDiv(timeMs, HALF_HOUR_MS));
        int spot = spotOfDraw[(int) (whim & (DRAWS - 1))];
        int a = (int) (whim >>> 8) & (TABLE - 1);
        int b = (int) (whim >>> 20) & (TABLE - 1);
        double east;
        double north;
        if (spot < 0) {
            double distanceKm = config.radiusKm() * Math.sqrt((whim >>> 32) * 0x1.0p-32);
            east = distanceKm * cos[a];
            north = distanceKm * sin[a];
        } else {
            east = eastKm[spot] + SPREAD_KM * normal[a];
            north = northKm[spot] + SPREAD_KM * normal[b];
        }
        long step = random.nextLong();
        east += STEP_KM * normal[(int) (step & (TABLE - 1))];
        north += STEP_KM * normal[(int) (step >>> 12) & (TABLE - 1)];
        lat = config.centreLat() + north / KM_PER_DEGREE;
        lng = config.centreLng() + east / kmPerDegreeLng;
    }

    /** Latitude of the last placed person in millionths of a degree. */
    long latMicro() {
        return Math.round(lat * 1e6);
    }

    /** Longitude of the last placed person in millionths of a degree, in [-180, 180) degrees. */
    long lngMicro() {
        return Math.floorMod(Math.round(lng * 1e6) + 180_000_000L, 360_000_000L) - 180_000_000L;
    }
}
