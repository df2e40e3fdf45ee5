package io.thalweg.kernel.hex;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * The loops that cost: adding counts up, prefix sums of the lattice, and disk sums from them. Arithmetic is modulo 2<sup>32</sup>: prefix
 * sums may wrap around, while a disk sum below 2<sup>31</sup> is exact.
 *
 * <p>With {@code P} the prefix sums of the counts along {@code i}: {@code C} sums {@code P} along {@code j}, {@code G} along
 * the diagonal (both growing), {@code E = G - C}. A row of a disk is a difference of two {@code P}, whose ends move along
 * {@code j} on two sides of the hexagon and along the diagonal on two others, so the whole is
 * {@code E(i+R, j) + E(i-R-1, j) + C(i-R-1, j-R-1) - G(i-1, j-R-1) + C(i+R, j+R) - G(i-1, j+R)}.
 */
/*
 * All windows of a cell stand next to each other, so one vector operation does all windows of a cell, and the sums come out
 * in the order in which a row has them. With the cells next to each other instead, arithmetic is no faster and the rows
 * must be transposed, which costs more than all the sums.
 */
interface LatticeKernel {
    String name();

    /** Ints that a cell has in the prefix sums: windows beyond take another set of prefix sums. */
    int lanes();

    /** How many places from {@code from} on follow each other without a gap, at least 1. */
    int run(int[] places, int from, int to);

    /** Adds {@code length} neighbouring counts. */
    void add(int[] counts, int from, int length, int[] into, int at);

    /** The bits that are set in any of the counts. */
    int or(int[] counts, int length);

    /**
     * Computes a row of {@code C}, {@code G} and {@code E} from the row before and {@code P}.
     *
     * @param before where the row before begins
     * @param at where the row begins
     * @param columns cells of the row
     */
    void prefix(Prefixes into, int before, int at, int columns);

    /**
     * Writes the disk sums of the neighbouring cells of a row, all windows of each.
     *
     * @param at where the windows of the first cell go
     * @param step from there to those of the next cell
     * @param used how many windows are needed; all lanes may be written
     */
    void disks(Prefixes from, Corners corners, int[] into, int at, int step, int cells, int used);

    /** The implementation for this JVM: with the Vector API if that module is present. */
    static LatticeKernel fastest() {
        return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent() ? vector() : new ScalarKernel();
    }

    /** By name, for its class cannot be loaded without the module. */
    static LatticeKernel vector() {
        try {
            return Class.forName("io.thalweg.kernel.hex.VectorKernel")
                    .asSubclass(LatticeKernel.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException
                | NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException e) {
            throw new IllegalStateException(
                    "the vector kernel does not load; remove --add-modules jdk.incubator.vector", e);
        }
    }

    /** Where the six operands of the first cell of a row stand. */
    record Corners(int right, int left, int lowC, int lowG, int highC, int highG) {}

    /** The last rows of the prefix sums, and the newest {@code P}. */
    final class Prefixes {
        final int[] p;
        final int[] c;
        final int[] g;
        final int[] e;
        private final int rowLength;
        private final int depth;

        Prefixes(int rowLength, int depth) {
            this.rowLength = rowLength;
            this.depth = depth;
            p = new int[rowLength];
            c = new int[rowLength * depth];
            g = new int[rowLength * depth];
            e = new int[rowLength * depth];
        }

        /** Where a row begins; it takes the place of row {@code j - depth}. */
        int row(int j) {
            return j % depth * rowLength;
        }

        /** The operands of the disks of a radius around the cells from a column on. */
        Corners corners(int j, int column, int radius, int lanes) {
            int right = (column + radius) * lanes;
            int left = (column - radius - 1) * lanes;
            int before = (column - 1) * lanes;
            int low = row(j - radius - 1);
            int high = row(j + radius);
            return new Corners(row(j) + right, row(j) + left, low + left, low + before, high + right, high + before);
        }

        void clearRow(int j) {
            Arrays.fill(c, row(j), row(j) + rowLength, 0);
            Arrays.fill(g, row(j), row(j) + rowLength, 0);
        }
    }
}
