package io.thalweg.server.region;

import io.thalweg.kernel.hex.TilePositions.Point;

/** The Web Mercator projection for the map of the console: the world is the square from (0, 0) in the north-west to (1, 1). */
final class Mercator {
    /** The latitude where the square ends, in degrees. */
    static final double LAT_MAX = 85.05112878;

    private Mercator() {}

    static double x(Point point) {
        return point.lngDeg() / 360 + 0.5;
    }

    static double y(Point point) {
        double sine = Math.sin(Math.toRadians(point.latDeg()));
        return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
    }

    /** Whether a point is on the map. */
    static boolean shows(Point point) {
        return Math.abs(point.latDeg()) <= LAT_MAX;
    }

    /** Returns the shortest way from one x to another, across the antimeridian if that is shorter: in [-0.5, 0.5]. */
    static double way(double from, double to) {
        double way = to - from;
        return way - Math.rint(way);
    }
}
