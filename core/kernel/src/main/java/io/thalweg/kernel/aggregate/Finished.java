package io.thalweg.kernel.aggregate;

/**
 * The result of {@link Aggregate#finish}: a {@code long} or the raw bits of a {@code double} in {@link #low}, or an integer of
 * 128 bits in {@link #high} and {@link #low}. For a {@code long}, {@code high} is the sign of {@code low}.
 *
 * <p><b>Threads.</b> One; the object is reused.
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
