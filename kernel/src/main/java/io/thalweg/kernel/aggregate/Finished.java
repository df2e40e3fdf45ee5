package io.thalweg.kernel.aggregate;

/**
 * Where {@link Aggregate#finish} puts a value: a {@code long} or the raw bits of a {@code double} in {@link #low}, an integer
 * of 128 bits in {@link #high} and {@link #low}; {@code high} is the sign of {@code low} for a plain {@code long}.
 *
 * <p><b>Threads.</b> One; used again and again.
 */
public final class Finished {
    private long high;
    private long low;

    /** The upper 64 bits of an integer. */
    public long high() {
        return high;
    }

    /** The lower 64 bits of an integer, or a double's raw bits. */
    public long low() {
        return low;
    }

    void integer(long highBits, long lowBits) {
        high = highBits;
        low = lowBits;
    }

    void decimal(double value) {
        high = 0;
        low = Double.doubleToRawLongBits(value);
    }
}
