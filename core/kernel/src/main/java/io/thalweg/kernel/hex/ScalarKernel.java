package io.thalweg.kernel.hex;

/** The implementation in plain Java, in loops that C2 vectorizes. */
/*
 * C2 vectorizes only loops that index all arrays alike: with six different offsets, the disk sums take four times as long
 * as with the operands copied to aligned arrays first.
 */
final class ScalarKernel implements LatticeKernel {
    private static final int BLOCK = 64 * LANES;

    private final int[] ownRight = new int[BLOCK];
    private final int[] ownLeft = new int[BLOCK];
    private final int[] lowC = new int[BLOCK];
    private final int[] lowG = new int[BLOCK];
    private final int[] highC = new int[BLOCK];
    private final int[] highG = new int[BLOCK];
    private final int[] sums = new int[BLOCK];

    @Override
    public String name() {
        return "scalar";
    }

    @Override
    public void add(int[] counts, int from, int length, int[] into, int at) {
        for (int k = 0; k < length; k++) {
            into[at + k] += counts[from + k];
        }
    }

    @Override
    public void prefix(int[] p, Row before, Row into, int columns) {
        int length = columns * LANES;
        System.arraycopy(before.g, 0, into.g, LANES, length - LANES);
        java.util.Arrays.fill(into.g, 0, LANES, 0); // the diagonal has no counts before the box
        prefix(p, before.c, into.c, into.g, into.e, length);
    }

    private static void prefix(int[] p, int[] before, int[] c, int[] g, int[] e, int length) {
        for (int k = 0; k < length; k++) {
            int sumC = before[k] + p[k];
            int sumG = g[k] + p[k];
            c[k] = sumC;
            g[k] = sumG;
            e[k] = sumG - sumC;
        }
    }

    @Override
    public void disks(Row low, Row own, Row high, int column, int radius, int[] into, int at, int cells) {
        int right = (column + radius) * LANES;
        int left = (column - radius - 1) * LANES;
        int before = (column - 1) * LANES;
        for (int k = 0; k < cells * LANES; k += BLOCK) {
            int length = Math.min(BLOCK, cells * LANES - k);
            System.arraycopy(own.e, right + k, ownRight, 0, length);
            System.arraycopy(own.e, left + k, ownLeft, 0, length);
            System.arraycopy(low.c, left + k, lowC, 0, length);
            System.arraycopy(low.g, before + k, lowG, 0, length);
            System.arraycopy(high.c, right + k, highC, 0, length);
            System.arraycopy(high.g, before + k, highG, 0, length);
            addUp(length);
            System.arraycopy(sums, 0, into, at + k, length);
        }
    }

    private void addUp(int length) {
        for (int k = 0; k < length; k++) {
            sums[k] = ownRight[k] + ownLeft[k] + lowC[k] - lowG[k] + highC[k] - highG[k];
        }
    }
}
