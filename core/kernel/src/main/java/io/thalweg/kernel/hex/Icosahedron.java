package io.thalweg.kernel.hex;

import com.uber.h3core.util.LatLng;
import java.util.ArrayList;
import java.util.List;

/**
 * H3's icosahedron: its twelve corners are the centres of the pentagons of resolution 0, its faces the triples of
 * neighbouring corners.
 *
 * <p><b>Shape.</b> A face is three vectors. The dot products of a point on the sphere with them are the point's barycentric
 * coordinates in the flat triangle of the face, seen from the earth's centre, up to a common factor: all are positive
 * exactly within the face. The corners of a face follow one another counter-clockwise.
 */
final class Icosahedron {
    /** Neighbouring corners are 63.4 degrees apart, others at least 116.5. */
    private static final double NEIGHBOUR_COSINE = 0.4;

    private Icosahedron() {}

    /** The faces, nine numbers each. */
    static double[][] faces() {
        List<double[]> corners = new ArrayList<>();
        for (long pentagon : H3.CORE.getPentagons(0)) {
            LatLng centre = H3.CORE.cellToLatLng(pentagon);
            corners.add(vector(Math.toRadians(centre.lat), Math.toRadians(centre.lng)));
        }
        List<double[]> faces = new ArrayList<>();
        for (double[] a : corners) {
            for (double[] b : corners) {
                for (double[] c : corners) {
                    boolean isFirst = corners.indexOf(a) < Math.min(corners.indexOf(b), corners.indexOf(c));
                    if (isFirst
                            && areNeighbours(a, b)
                            && areNeighbours(b, c)
                            && areNeighbours(c, a)
                            && dot(a, cross(b, c)) > 0) {
                        faces.add(face(a, b, c));
                    }
                }
            }
        }
        return faces.toArray(double[][]::new);
    }

    private static boolean areNeighbours(double[] a, double[] b) {
        return a != b && dot(a, b) > NEIGHBOUR_COSINE;
    }

    private static double[] face(double[] a, double[] b, double[] c) {
        double[] bc = cross(b, c);
        double[] ca = cross(c, a);
        double[] ab = cross(a, b);
        return new double[] {bc[0], bc[1], bc[2], ca[0], ca[1], ca[2], ab[0], ab[1], ab[2]};
    }

    private static double[] vector(double lat, double lng) {
        return new double[] {Math.cos(lat) * Math.cos(lng), Math.cos(lat) * Math.sin(lng), Math.sin(lat)};
    }

    private static double[] cross(double[] a, double[] b) {
        return new double[] {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }

    private static double dot(double[] a, double[] b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
}
