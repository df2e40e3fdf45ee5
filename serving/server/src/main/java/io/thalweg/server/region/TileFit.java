package io.thalweg.server.region;

import io.thalweg.kernel.hex.TilePositions;
import io.thalweg.kernel.hex.TilePositions.Point;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The map from {@link Mercator} coordinates to the lattice of one tile: two cubic polynomials, one for each lattice coordinate.
 * They let a program find the cell of a point by rounding, without H3.
 *
 * <p><b>Shape.</b> The polynomials are in {@code u = (x - x0) / reach} and {@code v = (y - y0) / reach}, where (x0, y0) is the
 * tile's centre; all cells of the tile are within {@code [-1, 1]} of both. A polynomial has ten coefficients, of 1, u, v, u², uv,
 * v², u³, u²v, uv², v³. {@code coefficients} holds those of i, then those of j.
 *
 * <p><b>Accuracy.</b> Within 0.001 of the distance between two cells where the tile is on one face of H3's icosahedron. The map
 * has a kink at the edge of a face: {@link #of} finds no fit there.
 *
 * <p><b>Cost.</b> Some milliseconds, so a fit is worth caching.
 *
 * <p><b>Threads.</b> Immutable; the array must not be changed.
 */
public record TileFit(double x0, double y0, double reach, double[] coefficients) {
    /** Number of coefficients of a polynomial. */
    static final int TERMS = 10;

    /** A sixth beyond the farthest sampled centre, so that the tile's outermost cells are included. */
    private static final double MARGIN = 7.0 / 6;

    /** The seven children of a cell have consecutive slots; every seventh slot is a cell in the middle of six others. */
    private static final int SAMPLED = 7;

    private static final double ERROR_MAX = 0.01;

    /** Returns the fit of a tile; null if there is no lattice, no good fit, or the tile reaches beyond the map. */
    static @Nullable TileFit of(TilePositions places, long tile) {
        if (!places.isLattice(tile)) {
            return null;
        }
        Samples samples = Samples.of(places, tile);
        if (samples == null) {
            return null;
        }
        double[] ofI = samples.solve(samples.i);
        double[] ofJ = samples.solve(samples.j);
        if (samples.error(ofI, samples.i) > ERROR_MAX || samples.error(ofJ, samples.j) > ERROR_MAX) {
            return null;
        }
        double[] both = Arrays.copyOf(ofI, 2 * TERMS);
        System.arraycopy(ofJ, 0, both, TERMS, TERMS);
        return new TileFit(samples.x0, samples.y0, samples.reach, both);
    }

    /** The first lattice coordinate of a point, not rounded. */
    double i(Point point) {
        return at(point, 0);
    }

    /** The second lattice coordinate of a point, not rounded. */
    double j(Point point) {
        return at(point, TERMS);
    }

    private double at(Point point, int first) {
        double[] terms = terms(Mercator.way(x0, Mercator.x(point)) / reach, (Mercator.y(point) - y0) / reach);
        double sum = 0;
        for (int term = 0; term < TERMS; term++) {
            sum += terms[term] * coefficients[first + term];
        }
        return sum;
    }

    private static double[] terms(double u, double v) {
        return new double[] {1, u, v, u * u, u * v, v * v, u * u * u, u * u * v, u * v * v, v * v * v};
    }

    /** Some cells of a tile: their terms and their lattice coordinates. */
    private static final class Samples {
        final double x0;
        final double y0;
        final double reach;
        final double[][] terms;
        final double[] i;
        final double[] j;

        private Samples(double x0, double y0, double reach, double[][] terms, double[] i, double[] j) {
            this.x0 = x0;
            this.y0 = y0;
            this.reach = reach;
            this.terms = terms;
            this.i = i;
            this.j = j;
        }

        static @Nullable Samples of(TilePositions places, long tile) {
            Point centre = TilePositions.centre(tile);
            double x0 = Mercator.x(centre);
            double y0 = Mercator.y(centre);
            int count = places.tiling().slots() / SAMPLED;
            double[] dx = new double[count];
            double[] dy = new double[count];
            double[] i = new double[count];
            double[] j = new double[count];
            double reach = 0;
            for (int sample = 0; sample < count; sample++) {
                int slot = sample * SAMPLED;
                Point point = TilePositions.centre(places.tiling().cell(tile, slot));
                if (!Mercator.shows(point)) {
                    return null;
                }
                dx[sample] = Mercator.way(x0, Mercator.x(point));
                dy[sample] = Mercator.y(point) - y0;
                i[sample] = places.i(slot);
                j[sample] = places.j(slot);
                reach = Math.max(reach, Math.max(Math.abs(dx[sample]), Math.abs(dy[sample])));
            }
            double[][] terms = new double[count][];
            for (int sample = 0; sample < count; sample++) {
                terms[sample] = TileFit.terms(dx[sample] / (MARGIN * reach), dy[sample] / (MARGIN * reach));
            }
            return new Samples(x0, y0, MARGIN * reach, terms, i, j);
        }

        /** Solves for the least squares by the normal equations, which are well conditioned for u and v in [-1, 1]. */
        double[] solve(double[] wanted) {
            double[][] rows = new double[TERMS][TERMS + 1];
            for (int sample = 0; sample < terms.length; sample++) {
                for (int row = 0; row < TERMS; row++) {
                    for (int column = 0; column < TERMS; column++) {
                        rows[row][column] += terms[sample][row] * terms[sample][column];
                    }
                    rows[row][TERMS] += terms[sample][row] * wanted[sample];
                }
            }
            return eliminate(rows);
        }

        double error(double[] polynomial, double[] wanted) {
            double error = 0;
            for (int sample = 0; sample < terms.length; sample++) {
                double sum = -wanted[sample];
                for (int term = 0; term < TERMS; term++) {
                    sum += terms[sample][term] * polynomial[term];
                }
                error = Math.max(error, Math.abs(sum));
            }
            return error;
        }
    }

    /**
     * Solves a linear system whose matrix is symmetric and positive definite, so no pivot is 0. The last column is the right-hand
     * side.
     */
    private static double[] eliminate(double[][] rows) {
        int n = rows.length;
        for (int pivot = 0; pivot < n; pivot++) {
            for (int row = pivot + 1; row < n; row++) {
                double factor = rows[row][pivot] / rows[pivot][pivot];
                for (int column = pivot; column <= n; column++) {
                    rows[row][column] -= factor * rows[pivot][column];
                }
            }
        }
        double[] solution = new double[n];
        for (int row = n - 1; row >= 0; row--) {
            double sum = rows[row][n];
            for (int column = row + 1; column < n; column++) {
                sum -= rows[row][column] * solution[column];
            }
            solution[row] = sum / rows[row][row];
        }
        return solution;
    }
}
