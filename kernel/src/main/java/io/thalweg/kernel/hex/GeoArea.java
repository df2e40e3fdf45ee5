package io.thalweg.kernel.hex;

/**
 * An area on the plane of longitude and latitude, in degrees; its edges are straight lines there, as in GeoJSON. Longitudes of points
 * are in [-180, 180], and the plane goes on on both sides: what crosses the antimeridian is one area.
 */
public interface GeoArea {
    /** Whether a point is inside. */
    boolean contains(double latDeg, double lngDeg);

    /**
     * Whether the border of the area passes through a box, or may do so: otherwise all points of the box are inside, or none.
     *
     * @param westDeg at least -360
     * @param eastDeg at least {@code westDeg}, at most 360
     */
    boolean borders(double westDeg, double southDeg, double eastDeg, double northDeg);

    /** How much of the earth's surface the area has, 0 to 1. */
    double share();
}
