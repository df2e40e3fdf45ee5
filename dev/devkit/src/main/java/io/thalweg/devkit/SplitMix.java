package io.thalweg.devkit;

/**
 * Seeded random numbers that are the same on every JDK, because the files in {@code examples/} are generated from them.
 *
 * <p><b>Source.</b> SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
 */
final class SplitMix {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    SplitMix(long seed) {
        state = seed;
    }

    /** A well-mixed function of two values. */
    static long hash(long a, long b) {
        return mix(mix(a + GOLDEN_GAMMA) + (b + 1) * GOLDEN_GAMMA);
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Uniform in [0, bound), for a bound of at most 2^31: the bias is below 2^-32. */
    int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Uniform in [0, 1). */
    double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }
}
