package io.thalweg.kernel.hex;

/** Plain Java. */
final class ScalarKernel implements LatticeKernel {
    private static final int LANES = 8;

    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public int lanes() {
        return LANES;
    }

    @Override
    public int run(int[] places, int from, int to) {
        int base = places[from] - from;
        int n = from + 1;
        while (n < to && places[n] - n == base) {
            n++;
        }
        return n - from;
    }

    @Override
    public void add(int[] counts, int from, int length, int[] into, int at) {
        for (int k = 0; k < length; k++) {
            into[at + k] += counts[from + k];
        }
    }

    @Override
    public int or(int[] counts, int length) {
        int bits = 0;
        for (int n = 0; n < length; n++) {
            bits |= counts[n];
        }
        return bits;
    }

    @Override
    public void prefix(Prefixes into, int before, int at, int columns) {
        int[] p = into.p;
        int[] c = into.c;
        int[] g = into.g;
        int[] e = into.e;
        for (int k = 0; k < LANES; k++) {
            c[at + k] = c[before + k] + p[k];
            g[at + k] = p[k]; // the diagonal begins here: nothing comes from before the box
            e[at + k] = g[at + k] - c[at + k];
        }
        for (int k = LANES; k < columns * LANES; k++) {
            int sumC = c[before + k] + p[k];
            int sumG = g[before - LANES + k] + p[k];
            c[at + k] = sumC;
            g[at + k] = sumG;
            e[at + k] = sumG - sumC;
        }
    }

    @Override
    public void disks(Prefixes from, Corners corners, int[] into, int at, int step, int cells, int used) {
        int[] c = from.c;
        int[] g = from.g;
        int[] e = from.e;
        for (int lane = 0; lane < used; lane++) {
            int right = corners.right() + lane;
            int left = corners.left() + lane;
            int lowC = corners.lowC() + lane;
            int lowG = corners.lowG() + lane;
            int highC = corners.highC() + lane;
            int highG = corners.highG() + lane;
            for (int n = 0, to = at + lane; n < cells; n++, to += step) {
                int k = n * LANES;
                into[to] = e[right + k] + e[left + k] + c[lowC + k] - g[lowG + k] + c[highC + k] - g[highG + k];
            }
        }
    }
}
