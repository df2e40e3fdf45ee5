package io.thalweg.records.generate;

/**
 * Seeded random numbers that are the same on every JDK; the files in {@code examples/} are generated from them.
 *
 * <p><b>Source.</b> SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
 */
public final class SplitMix {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    public SplitMix(long seed) {
        state = seed;
    }

    /** Returns a well-mixed hash of two values. */
    public static long hash(long a, long b) {
        return mix(mix(a + GOLDEN_GAMMA) + (b + 1) * GOLDEN_GAMMA);
    }

    /** Applies a bijection of 64 bits. */
    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Starts again from another seed. */
    void reseed(long seed) {
        state = seed;
    }

    public long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Returns a uniform number in [0, bound), for a bound of at most 2^31; the bias is below 2^-32. */
    public int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Returns a uniform number in [0, bound), for a bound above 0. */
    long nextLong(long bound) {
        long bits = nextLong() >>> 1;
        return (Math.multiplyHigh(bits, bound) << 1) | ((bits * bound) >>> 63);
    }

    /** Returns a uniform number in [0, 1). */
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }
}
