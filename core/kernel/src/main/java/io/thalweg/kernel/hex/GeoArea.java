package io.thalweg.kernel.hex;

/**
 * An area on the plane of longitude and latitude, in degrees; its edges are straight lines there, as in GeoJSON. Longitudes of
 * points are in [-180, 180]. The plane continues on both sides, so an area that crosses the antimeridian is contiguous.
 */
public interface GeoArea {
    /** Whether a point is inside. */
    boolean contains(double latDeg, double lngDeg);

    /**
     * Whether the border of the area passes, or may pass, through a box. Otherwise all points of the box are inside, or none.
     *
     * @param westDeg at least -360
     * @param eastDeg at least {@code westDeg}, at most 360
     */
    boolean borders(double westDeg, double southDeg, double eastDeg, double northDeg);

    /** The share of the earth's surface that the area covers, 0 to 1. */
    double share();
}
