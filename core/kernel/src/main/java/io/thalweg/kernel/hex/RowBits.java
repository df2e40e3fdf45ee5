package io.thalweg.kernel.hex;

/**
 * Encodes the steps of a row (see {@link RowSink}) as bits. Small counts that resemble their neighbours take few bits.
 *
 * <p><b>Shape.</b> The encoded values are the differences between the steps of a ring and those of the previous ring, that is,
 * the counts of its annulus: rings outer, windows inner. Each is written as its width in bits, coded as the difference to its
 * neighbour's width (the previous window; for the first window the previous ring; initially 0) in Elias gamma code of the zigzag,
 * followed by its bits without the leading one. {@code docs/reference/packed.md} specifies the format bit by bit.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public interface RowBits {
    /** The maximum width of a difference in bits. */
    int MOST_WIDTH = 16;

    /** The maximum number of bytes that writing a row may touch. */
    static int mostBytes(int rings) {
        return rings * RowSink.LANES * Integer.BYTES + Long.BYTES;
    }

    /**
     * Writes a row. Bits fill their bytes from the highest.
     *
     * @param at the index of the first ring's first window
     * @param into has room for {@link #mostBytes} after {@code bit}; its byte there has zeros from that bit on
     * @param bit the bit at which to begin
     * @return the bit after the row, from which on its byte has zeros; -1 if a difference is negative or too wide, in which case
     *     the bits after {@code bit} are undefined
     */
    int append(int[] steps, int at, int ringStride, byte[] into, int bit);

    /** Creates another encoder of the same kind, for another thread. */
    RowBits another();

    /**
     * Returns the fastest implementation for this JVM: with the Vector API if the module and long enough vectors are available.
     *
     * @param windows at most {@link RowSink#WINDOWS}
     */
    static RowBits fastest(int rings, int windows) {
        return Vectors.areFast() ? vector(rings, windows) : new ScalarRowBits(rings, windows);
    }

    /** Creates the implementation with the Vector API. */
    static RowBits vector(int rings, int windows) {
        return Vectors.make(RowBits.class, "VectorRowBits", rings, windows);
    }
}
