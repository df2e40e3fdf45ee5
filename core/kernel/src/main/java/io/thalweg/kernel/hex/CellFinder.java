package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * Finds the cell that contains a point. Returns the same cell as {@link HexTiling#cell(double, double)} in a fraction of its time.
 *
 * <p><b>Threads.</b> One, because it caches about 70 KB of data on tiles.
 *
 * <p><b>Source.</b> H3's definition of its grid: aperture 7, on the gnomonic planes of an icosahedron.
 */
public final class CellFinder {
    /*
     * On the plane of a face the centres of all cells of a resolution are a lattice of hexagons. Let a, b, c point from the
     * face's centre to its corners, half the way: they are the axes of resolution 0, and a + b + c = 0. A point with
     * barycentric coordinates (A, B, C) is at 2(A a + B b + C c) = q a + s b with q = 2(A - C), s = 2(B - C): no angle is
     * needed. Each finer resolution multiplies the lattice by a number of norm 7, by two conjugate ones in turn. So (q, s) of
     * the point is scaled, rounded to a lattice point, and divided by these numbers level by level; the remainders are the
     * digits of the index.
     *
     * H3 determines once per tile which tile the quotient is, and by how many sixths of a turn its digits are rotated. Both
     * are the same for all cells of a tile on a face, except for the tiles of the twelve base cells with pentagons, which
     * always use H3. So do points so close to the border of a cell or face, or to the centre of a face, where H3 takes the arc
     * cosine of nearly 1, that H3's rounding decides.
     */

    /**
     * The width of the guard along cell borders, as a fraction of the distance between two cells' centres. H3's errors stay
     * below 2e-7 of that distance, at resolution 15.
     */
    private static final double BORDER_GUARD = 4e-6;

    /** In barycentric coordinates of a face; the rounding error is 1e-15. */
    private static final double EDGE_GUARD = 1e-9;

    /** Squared, in lattice units of resolution 0: about 64 km. */
    private static final double CENTRE_GUARD = 7e-4;

    private static final double[][] FACES = Icosahedron.faces();

    /** By {@code 3 (q + 1) + s + 1}: the digit of a neighbour, or of the centre. */
    private static final int[] DIGITS = {1, 3, 0, 5, 0, 2, 0, 4, 6};

    /** By digit: the digit after a rotation by a sixth of a turn, counter-clockwise. */
    private static final int[] TURNED = {0, 5, 3, 1, 6, 4, 2, 7};

    private static final int[][] TURNS = turns();

    private static final int SLOTS = 1 << 12;
    private static final long UNKNOWN = -1;

    private final HexTiling tiling;
    private final int resolution;
    private final int tileResolution;
    private final double scale;
    private final long finerDigits;

    private final long[] keys = new long[SLOTS];
    /** The index of the tile's centre cell, or 0 to always use H3. */
    private final long[] centres = new long[SLOTS];

    private final byte[] turns = new byte[SLOTS];
    private int face;
    private long asked;

    /** Creates a finder of cells of the tiling's resolution. */
    public CellFinder(HexTiling tiling) {
        this.tiling = tiling;
        resolution = tiling.resolution();
        tileResolution = tiling.tileResolution();
        int pairs = resolution / 2;
        scale = Math.pow(7, pairs);
        finerDigits = ((1L << (3 * (resolution - tileResolution))) - 1) << shift(resolution);
        Arrays.fill(keys, UNKNOWN);
    }

    /**
     * Returns the cell that contains a point.
     *
     * @param latDeg degrees, in [-90, 90]
     * @param lngDeg degrees, in [-180, 180]
     */
    public long cell(double latDeg, double lngDeg) {
        double lat = Math.toRadians(latDeg);
        double lng = Math.toRadians(lngDeg);
        double cosLat = Math.cos(lat);
        double x = cosLat * Math.cos(lng);
        double y = cosLat * Math.sin(lng);
        double z = Math.sin(lat);
        if (!isWithin(FACES[face], x, y, z) && !findFace(x, y, z)) {
            return ask(latDeg, lngDeg);
        }
        double[] f = FACES[face];
        double a = f[0] * x + f[1] * y + f[2] * z;
        double b = f[3] * x + f[4] * y + f[5] * z;
        double c = f[6] * x + f[7] * y + f[8] * z;
        double half = 2 / (a + b + c);
        double q = (a - c) * half;
        double s = (b - c) * half;
        if (!(q * q - q * s + s * s > CENTRE_GUARD)) {
            return ask(latDeg, lngDeg);
        }
        q *= scale;
        s *= scale;
        return (resolution & 1) == 0 ? nearest(q, s, latDeg, lngDeg) : nearest(2 * q + s, 3 * s - q, latDeg, lngDeg);
    }

    private long ask(double latDeg, double lngDeg) {
        asked++;
        return tiling.cell(latDeg, lngDeg);
    }

    /** The number of points that H3 decided. */
    long asked() {
        return asked;
    }

    private boolean findFace(double x, double y, double z) {
        for (int f = 0; f < FACES.length; f++) {
            if (isWithin(FACES[f], x, y, z)) {
                face = f;
                return true;
            }
        }
        return false;
    }

    private static boolean isWithin(double[] f, double x, double y, double z) {
        return f[0] * x + f[1] * y + f[2] * z > EDGE_GUARD
                && f[3] * x + f[4] * y + f[5] * z > EDGE_GUARD
                && f[6] * x + f[7] * y + f[8] * z > EDGE_GUARD;
    }

    /** Rounds in cube coordinates, whose sum is 0: the coordinate with the largest rounding error follows from the others. */
    private long nearest(double q, double s, double latDeg, double lngDeg) {
        double u = Math.rint(q - s);
        double v = Math.rint(-q);
        double w = Math.rint(s);
        double du = Math.abs(q - s - u);
        double dv = Math.abs(-q - v);
        double dw = Math.abs(s - w);
        if (du > dv && du > dw) {
            u = -v - w;
        } else if (dv > dw) {
            v = -u - w;
        } else {
            w = -u - v;
        }
        double offU = q - s - u;
        double offV = -q - v;
        double offW = s - w;
        double inside = 1 - BORDER_GUARD;
        if (!(Math.abs(offU - offV) < inside && Math.abs(offV - offW) < inside && Math.abs(offW - offU) < inside)) {
            return ask(latDeg, lngDeg);
        }
        return index((int) -v, (int) w, latDeg, lngDeg);
    }

    private long index(int qOfCell, int sOfCell, double latDeg, double lngDeg) {
        int q = qOfCell;
        int s = sOfCell;
        long digits = 0;
        for (int r = resolution; r > tileResolution; r--) {
            int parentQ;
            int parentS;
            int digit;
            if ((r & 1) == 1) {
                parentQ = Math.floorDiv(3 * q - s + 3, 7);
                parentS = Math.floorDiv(q + 2 * s + 3, 7);
                digit = digit(q - 2 * parentQ - parentS, s + parentQ - 3 * parentS);
            } else {
                parentQ = Math.floorDiv(2 * q + s + 3, 7);
                parentS = Math.floorDiv(3 * s - q + 3, 7);
                digit = digit(q - 3 * parentQ + parentS, s - parentQ - 2 * parentS);
            }
            digits |= (long) digit << shift(r);
            q = parentQ;
            s = parentS;
        }
        long key = ((long) face << 56) | ((q & 0xFFFFFFFL) << 28) | (s & 0xFFFFFFFL);
        int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 52);
        if (keys[slot] != key) {
            return learn(key, slot, digits, ask(latDeg, lngDeg));
        }
        long centre = centres[slot];
        return centre == 0 ? ask(latDeg, lngDeg) : centre | turn(digits, TURNS[turns[slot]]);
    }

    /** Caches what H3's result reveals about the tile. */
    private long learn(long key, int slot, long digits, long cell) {
        if (H3.CORE.isPentagon(H3.CORE.cellToParent(cell, 0))) {
            keys[slot] = key;
            centres[slot] = 0;
            return cell;
        }
        for (int n = 0; digits != 0 && n < TURNS.length; n++) {
            if (turn(digits, TURNS[n]) == (cell & finerDigits)) {
                keys[slot] = key;
                centres[slot] = cell & ~finerDigits;
                turns[slot] = (byte) n;
            }
        }
        return cell;
    }

    private long turn(long digits, int[] turn) {
        long turned = 0;
        for (int r = resolution; r > tileResolution; r--) {
            int shift = shift(r);
            turned |= (long) turn[(int) (digits >>> shift) & 7] << shift;
        }
        return turned;
    }

    private static int digit(int q, int s) {
        return DIGITS[3 * (q + 1) + s + 1];
    }

    private static int shift(int resolution) {
        return 3 * (15 - resolution);
    }

    private static int[][] turns() {
        int[][] turns = new int[6][8];
        for (int digit = 0; digit < 8; digit++) {
            int turned = digit;
            for (int n = 0; n < 6; n++) {
                turns[n][digit] = turned;
                turned = TURNED[turned];
            }
        }
        return turns;
    }
}
