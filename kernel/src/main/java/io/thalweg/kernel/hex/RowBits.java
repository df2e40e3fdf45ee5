package io.thalweg.kernel.hex;

/**
 * Writes the steps of a row (see {@link RowSink}) as bits: small counts that resemble their neighbours in few of them.
 *
 * <p><b>Shape.</b> What is written are the differences of the steps of a ring to those of the ring before, so the counts of its
 * annulus: rings outer, windows inner. Each is written as its width in bits, coded as the difference to its neighbour's width
 * (the window before; for the first window the ring before; at first 0) in Elias gamma code of the zigzag, and its bits without
 * the leading one. {@code docs/reference/packed.md} says it digit by digit.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public interface RowBits {
    /** A difference of more bits is not written here. */
    int MOST_WIDTH = 16;

    /** How many bytes a row may touch at most. */
    static int mostBytes(int rings) {
        return rings * RowSink.LANES * Integer.BYTES + Long.BYTES;
    }

    /**
     * Writes a row. Bits fill their bytes from the highest.
     *
     * @param at of the first ring's first window
     * @param into has room for {@link #mostBytes} behind {@code bit}; its byte there has zeros from that bit on
     * @param bit where to begin
     * @return the bit behind the row, from which on its byte has zeros; -1 where a difference is negative or too wide, and what is
     *     behind {@code bit} is undefined then
     */
    int append(int[] steps, int at, int ringStride, byte[] into, int bit);

    /** Another of the same kind, for another thread. */
    RowBits another();

    /**
     * The implementation for this JVM: with the Vector API if that module and vectors long enough are there.
     *
     * @param windows at most {@link RowSink#WINDOWS}
     */
    static RowBits fastest(int rings, int windows) {
        return Vectors.areFast() ? vector(rings, windows) : new ScalarRowBits(rings, windows);
    }

    /** With the Vector API. */
    static RowBits vector(int rings, int windows) {
        return Vectors.make(RowBits.class, "VectorRowBits", rings, windows);
    }
}
