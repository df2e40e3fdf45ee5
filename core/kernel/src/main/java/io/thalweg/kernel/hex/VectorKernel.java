package io.thalweg.kernel.hex;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/** The implementation with the Vector API. */
final class VectorKernel implements LatticeKernel {
    private static final VectorSpecies<Integer> SPECIES = IntVector.SPECIES_256;

    @Override
    public String name() {
        return "vector";
    }

    /** Without registers of that length each vector would be an object. */
    @Override
    public boolean fits() {
        return IntVector.SPECIES_PREFERRED.length() >= LANES;
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
    public void prefix(int[] p, Row before, Row into, int columns) {
        int[] c = into.c;
        int[] g = into.g;
        int[] e = into.e;
        IntVector lastG = IntVector.zero(SPECIES); // the diagonal has no counts before the box
        for (int k = 0; k < columns * LANES; k += LANES) {
            IntVector row = IntVector.fromArray(SPECIES, p, k);
            IntVector sumC = IntVector.fromArray(SPECIES, before.c, k).add(row);
            IntVector sumG = lastG.add(row);
            lastG = IntVector.fromArray(SPECIES, before.g, k);
            sumC.intoArray(c, k);
            sumG.intoArray(g, k);
            sumG.sub(sumC).intoArray(e, k);
        }
    }

    @Override
    public void disks(Row low, Row own, Row high, int column, int radius, int[] into, int at, int cells) {
        int[] e = own.e;
        int[] lowC = low.c;
        int[] lowG = low.g;
        int[] highC = high.c;
        int[] highG = high.g;
        int right = (column + radius) * LANES;
        int left = (column - radius - 1) * LANES;
        int before = (column - 1) * LANES;
        for (int k = 0; k < cells * LANES; k += LANES) {
            IntVector.fromArray(SPECIES, e, right + k)
                    .add(IntVector.fromArray(SPECIES, e, left + k))
                    .add(IntVector.fromArray(SPECIES, lowC, left + k))
                    .sub(IntVector.fromArray(SPECIES, lowG, before + k))
                    .add(IntVector.fromArray(SPECIES, highC, right + k))
                    .sub(IntVector.fromArray(SPECIES, highG, before + k))
                    .intoArray(into, at + k);
        }
    }
}
