package io.thalweg.model;

/** Appends bits, highest first, to a byte buffer. */
final class BitWriter {
    private final Bytes out;
    private long pending;
    private int count;

    BitWriter(Bytes out) {
        this.out = out;
    }

    /** The lowest {@code bits} (0 to 64) of a value. */
    void write(long value, int bits) {
        int low = bits;
        if (bits > 32) {
            write(value >>> 32, bits - 32);
            low = 32;
        }
        pending = (pending << low) | (value & ((1L << low) - 1));
        count += low;
        while (count >= 8) {
            count -= 8;
            out.u8((int) (pending >>> count));
        }
    }

    /** Fills the last byte up with zeros. */
    void finish() {
        write(0, -count & 7);
    }
}
