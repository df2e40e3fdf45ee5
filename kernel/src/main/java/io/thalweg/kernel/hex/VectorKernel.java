package io.thalweg.kernel.hex;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** With the Vector API. */
final class VectorKernel implements LatticeKernel {
    /** Eight lanes where the machine has them: six windows are usual. */
    private static final VectorSpecies<Integer> SPECIES =
            IntVector.SPECIES_PREFERRED.length() < 8 ? IntVector.SPECIES_PREFERRED : IntVector.SPECIES_256;

    private static final int LANES = SPECIES.length();
    private static final IntVector UPWARD = IntVector.zero(SPECIES).addIndex(1);

    @Override
    public String name() {
        return "vector";
    }

    @Override
    public int lanes() {
        return LANES;
    }

    @Override
    public int run(int[] places, int from, int to) {
        int base = places[from] - from;
        int n = from;
        while (n <= to - LANES
                && IntVector.fromArray(SPECIES, places, n)
                        .eq(UPWARD.add(base + n))
                        .allTrue()) {
            n += LANES;
        }
        while (n < to && places[n] - n == base) {
            n++;
        }
        return n - from;
    }

    @Override
    public void add(int[] counts, int from, int length, int[] into, int at) {
        int k = 0;
        for (; k <= length - LANES; k += LANES) {
            IntVector.fromArray(SPECIES, into, at + k)
                    .add(IntVector.fromArray(SPECIES, counts, from + k))
                    .intoArray(into, at + k);
        }
        for (; k < length; k++) {
            into[at + k] += counts[from + k];
        }
    }

    @Override
    public int or(int[] counts, int length) {
        IntVector bits = IntVector.zero(SPECIES);
        int n = 0;
        for (; n <= length - LANES; n += LANES) {
            bits = bits.or(IntVector.fromArray(SPECIES, counts, n));
        }
        int rest = bits.reduceLanes(VectorOperators.OR);
        for (; n < length; n++) {
            rest |= counts[n];
        }
        return rest;
    }

    @Override
    public void prefix(Prefixes into, int before, int at, int columns) {
        int[] p = into.p;
        int[] c = into.c;
        int[] g = into.g;
        int[] e = into.e;
        IntVector lastG = IntVector.zero(SPECIES); // nothing comes from before the box along the diagonal
        for (int k = 0; k < columns * LANES; k += LANES) {
            IntVector row = IntVector.fromArray(SPECIES, p, k);
            IntVector sumC = IntVector.fromArray(SPECIES, c, before + k).add(row);
            IntVector sumG = lastG.add(row);
            lastG = IntVector.fromArray(SPECIES, g, before + k);
            sumC.intoArray(c, at + k);
            sumG.intoArray(g, at + k);
            sumG.sub(sumC).intoArray(e, at + k);
        }
    }

    @Override
    public void disks(Prefixes from, Corners corners, int[] into, int at, int step, int cells, int used) {
        int[] c = from.c;
        int[] g = from.g;
        int[] e = from.e;
        int right = corners.right();
        int left = corners.left();
        int lowC = corners.lowC();
        int lowG = corners.lowG();
        int highC = corners.highC();
        int highG = corners.highG();
        for (int n = 0, to = at; n < cells; n++, to += step) {
            int k = n * LANES;
            IntVector.fromArray(SPECIES, e, right + k)
                    .add(IntVector.fromArray(SPECIES, e, left + k))
                    .add(IntVector.fromArray(SPECIES, c, lowC + k))
                    .sub(IntVector.fromArray(SPECIES, g, lowG + k))
                    .add(IntVector.fromArray(SPECIES, c, highC + k))
                    .sub(IntVector.fromArray(SPECIES, g, highG + k))
                    .intoArray(into, to);
        }
    }
}
