package io.thalweg.bench.demand;

/** SplitMix64 as functions: well-mixed numbers from a seed, the same on every JDK. */
public final class Mix {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private Mix() {}

    public static long of(long a, long b) {
        return of(of(a + GOLDEN_GAMMA) + (b + 1) * GOLDEN_GAMMA);
    }

    public static long of(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Returns the state after {@code state}; {@link #of} of it is the next random number. */
    public static long next(long state) {
        return state + GOLDEN_GAMMA;
    }

    /** Spreads the upper 32 bits of a number over [0, bound). */
    public static int below(long bits, int bound) {
        return (int) (((bits >>> 32) * bound) >>> 32);
    }
}
