package io.thalweg.kernel.hex;

import java.util.stream.DoubleStream;

/**
 * The area inside a closed line. If the line crosses itself, a point is inside if it is surrounded an odd number of times. The
 * line takes the shorter way round the earth between two points, so it may cross the antimeridian; it cannot surround a pole.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class GeoRing implements GeoArea {
    private static final int TURN = 360;

    /** The minimum is in [-180, 180); the others are not wrapped. The last point equals the first. */
    private final double[] lng;

    private final double[] lat;
    private final double westmost;
    private final double eastmost;

    /**
     * Creates the area inside these points.
     *
     * @param latDeg in [-90, 90]
     * @param lngDeg in [-180, 180], one for each latitude; the first point may be repeated as the last
     * @throws IllegalArgumentException if a number is out of range, there are fewer than three points, or a pole is surrounded
     */
    public GeoRing(double[] latDeg, double[] lngDeg) {
        int points = latDeg.length;
        boolean closed = points > 1 && latDeg[0] == latDeg[points - 1] && lngDeg[0] == lngDeg[points - 1];
        int corners = closed ? points - 1 : points;
        if (corners < 3) {
            throw new IllegalArgumentException("must have at least 3 different points, had " + corners);
        }
        lat = new double[corners + 1];
        lng = new double[corners + 1];
        for (int i = 0; i <= corners; i++) {
            int point = i % corners;
            requirePoint(point, latDeg[point], lngDeg[point]);
            lat[i] = latDeg[point];
            lng[i] = i == 0 ? lngDeg[0] : near(lngDeg[point], lng[i - 1]);
        }
        if (Math.abs(lng[corners] - lng[0]) > 1) {
            throw new IllegalArgumentException("must not surround a pole; use a bbox for that");
        }
        lng[corners] = lng[0];
        double turn = TURN * Math.floor((DoubleStream.of(lng).min().orElseThrow() + 180) / TURN);
        for (int i = 0; i <= corners; i++) {
            lng[i] -= turn;
        }
        westmost = DoubleStream.of(lng).min().orElseThrow();
        eastmost = DoubleStream.of(lng).max().orElseThrow();
    }

    private static void requirePoint(int point, double latDeg, double lngDeg) {
        if (!(Math.abs(latDeg) <= 90 && Math.abs(lngDeg) <= 180)) {
            throw new IllegalArgumentException(
                    "point %d must be a longitude from -180 to 180 and a latitude from -90 to 90, was %s, %s"
                            .formatted(point, lngDeg, latDeg));
        }
    }

    /** Returns the same meridian, at most half a turn away from another. */
    private static double near(double lngDeg, double otherDeg) {
        return lngDeg - TURN * Math.rint((lngDeg - otherDeg) / TURN);
    }

    @Override
    public boolean contains(double latDeg, double lngDeg) {
        return surrounds(latDeg, lngDeg) || surrounds(latDeg, lngDeg + TURN);
    }

    /** Whether the number of edges west of a point is odd. */
    private boolean surrounds(double y, double x) {
        boolean inside = false;
        for (int i = 1; i < lat.length; i++) {
            double south = lat[i - 1];
            double north = lat[i];
            if (south <= y != north <= y && lng[i - 1] + (y - south) / (north - south) * (lng[i] - lng[i - 1]) < x) {
                inside = !inside;
            }
        }
        return inside;
    }

    @Override
    public boolean borders(double westDeg, double southDeg, double eastDeg, double northDeg) {
        for (int shift = -TURN; shift <= 2 * TURN; shift += TURN) {
            double west = westDeg + shift;
            double east = eastDeg + shift;
            if (west <= eastmost && east >= westmost && passesAny(west, southDeg, east, northDeg)) {
                return true;
            }
        }
        return false;
    }

    private boolean passesAny(double west, double south, double east, double north) {
        for (int i = 1; i < lat.length; i++) {
            if (Math.max(lat[i - 1], lat[i]) >= south
                    && Math.min(lat[i - 1], lat[i]) <= north
                    && passes(i, west, south, east, north)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an edge that overlaps the box from south to north passes through it: not all corners are on one side. */
    private boolean passes(int edge, double west, double south, double east, double north) {
        double x = lng[edge - 1];
        double y = lat[edge - 1];
        double dx = lng[edge] - x;
        double dy = lat[edge] - y;
        if (Math.max(x, x + dx) < west || Math.min(x, x + dx) > east) {
            return false;
        }
        double southWest = dx * (south - y) - dy * (west - x);
        double southEast = dx * (south - y) - dy * (east - x);
        double northWest = dx * (north - y) - dy * (west - x);
        double northEast = dx * (north - y) - dy * (east - x);
        boolean left = southWest > 0 && southEast > 0 && northWest > 0 && northEast > 0;
        boolean right = southWest < 0 && southEast < 0 && northWest < 0 && northEast < 0;
        return !left && !right;
    }

    /** Exact if no edge is long; if the line crosses itself, parts may cancel each other. */
    @Override
    public double share() {
        double twice = 0;
        for (int i = 1; i < lat.length; i++) {
            double height = Math.sin(Math.toRadians(lat[i - 1])) + Math.sin(Math.toRadians(lat[i]));
            twice += (lng[i] - lng[i - 1]) / TURN * height / 2;
        }
        return Math.abs(twice) / 2;
    }
}
