package io.thalweg.kernel.hex;

import java.util.Arrays;

/**
 * The hot loops: adding counts, prefix sums of the lattice, and disk sums from them. Arithmetic is modulo 2<sup>32</sup>: prefix
 * sums may wrap around, while a disk sum below 2<sup>31</sup> is exact.
 *
 * <p>With {@code P} the prefix sums of the counts along {@code i}: {@code C} sums {@code P} along {@code j}, {@code G} along
 * the diagonal (both growing), {@code E = G - C}. A row of a disk is a difference of two {@code P}, whose ends move along
 * {@code j} on two sides of the hexagon and along the diagonal on two others, so the whole is
 * {@code E(i+R, j) + E(i-R-1, j) + C(i-R-1, j-R-1) - G(i-1, j-R-1) + C(i+R, j+R) - G(i-1, j+R)}.
 */
/*
 * All windows of a cell are adjacent, LANES ints, so one vector operation processes all windows of a cell, and the sums are in
 * the order of a feature row. With adjacent cells instead, arithmetic is no faster and the rows must be transposed, which costs
 * more than all the sums.
 */
interface LatticeKernel {
    /** The number of ints per cell: as many as fit a vector of 256 bits. */
    int LANES = 8;

    String name();

    /** Adds {@code length} adjacent counts. */
    void add(int[] counts, int from, int length, int[] into, int at);

    /**
     * Computes a row of {@code C}, {@code G} and {@code E}.
     *
     * @param p the row's {@code P}
     * @param before the previous row
     * @param columns the number of cells of the row
     */
    void prefix(int[] p, Row before, Row into, int columns);

    /**
     * Writes the disk sums of adjacent cells of a row, one cell after the other.
     *
     * @param low the row {@code radius + 1} before
     * @param high the row {@code radius} ahead
     * @param column the column of the first cell
     * @param at the index in {@code into} of its sums
     */
    void disks(Row low, Row own, Row high, int column, int radius, int[] into, int at, int cells);

    /** Returns the fastest implementation for this JVM: with the Vector API if the module and long enough vectors are available. */
    static LatticeKernel fastest() {
        return Vectors.areFast() ? vector() : new ScalarKernel();
    }

    /** Whether the implementation is fast on this machine. */
    default boolean fits() {
        return true;
    }

    /** Creates the implementation with the Vector API. */
    static LatticeKernel vector() {
        return Vectors.make(LatticeKernel.class, "VectorKernel");
    }

    /** One row of the prefix sums, {@link #LANES} ints per cell. */
    final class Row {
        final int[] c;
        final int[] g;
        final int[] e;

        Row(int columns) {
            c = new int[columns * LANES];
            g = new int[columns * LANES];
            e = new int[columns * LANES];
        }

        void clear() {
            Arrays.fill(c, 0);
            Arrays.fill(g, 0);
        }
    }
}
