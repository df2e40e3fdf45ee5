package io.thalweg.records.generate;

/**
 * Draws ranks from 0 to {@code count - 1} with frequencies that follow Zipf's law.
 *
 * <p>The ranks are divided into segments. The first 1,024 contain one rank each; each later one is 1/64 as wide as the number of
 * ranks before it. Walker's alias method picks a segment in constant time, and the rank within it is uniform, so that a frequency
 * beyond the first 1,024 is off by up to {@code exponent} percent. A million ranks take 1,500 segments, which stay in the cache.
 * The table is computed with {@code StrictMath}, so that ranks are the same on every machine.
 *
 * <p><b>Source.</b> Vose, "A linear algorithm for generating random numbers with a given distribution", 1991.
 */
final class Ranks {
    private static final int HEAD = 1024;

    private final long count;
    private final long[] first;
    private final long[] width;
    /** The share of each column that belongs to its own segment, in units of 2^-32; the rest belongs to the alias. */
    private final long[] own;

    private final int[] alias;

    private Ranks(long count, int segments) {
        this.count = count;
        first = new long[segments];
        width = new long[segments];
        own = new long[segments];
        alias = new int[segments];
    }

    static Ranks of(long count, double exponent) {
        if (exponent == 0) {
            return new Ranks(count, 0);
        }
        Ranks ranks = new Ranks(count, segments(count));
        ranks.fill(ranks.cut(exponent));
        return ranks;
    }

    long count() {
        return count;
    }

    long draw(SplitMix random) {
        if (own.length == 0) {
            return random.nextLong(count);
        }
        long bits = random.nextLong();
        int column = (int) (((bits >>> 32) * own.length) >>> 32);
        int segment = (bits & 0xFFFFFFFFL) < own[column] ? column : alias[column];
        long wide = width[segment];
        return wide == 1 ? first[segment] : first[segment] + random.nextLong(wide);
    }

    private static long width(long first) {
        return first < HEAD ? 1 : first >> 6;
    }

    private static int segments(long count) {
        int segments = 0;
        for (long at = 0; at < count; at += Math.min(width(at), count - at)) {
            segments++;
        }
        return segments;
    }

    /** Divides the ranks into segments; returns their weights. */
    private double[] cut(double exponent) {
        double[] weights = new double[first.length];
        long at = 0;
        for (int i = 0; i < weights.length; i++) {
            first[i] = at;
            width[i] = Math.min(width(at), count - at);
            weights[i] = width[i] == 1
                    ? StrictMath.pow((double) (at + 1), -exponent)
                    : integral(at + 0.5, at + width[i] + 0.5, exponent);
            at += width[i];
        }
        return weights;
    }

    /** Returns the integral of x<sup>-exponent</sup>, which approximates the sum over the ranks whose middle it covers. */
    private static double integral(double from, double to, double exponent) {
        return exponent == 1
                ? StrictMath.log(to / from)
                : (StrictMath.pow(to, 1 - exponent) - StrictMath.pow(from, 1 - exponent)) / (1 - exponent);
    }

    private void fill(double[] weights) {
        int n = weights.length;
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        int[] stack = new int[n];
        int small = 0;
        int large = n;
        for (int i = 0; i < n; i++) {
            weights[i] = weights[i] / sum * n;
            stack[weights[i] < 1 ? small++ : --large] = i;
        }
        while (small > 0 && large < n) {
            int poor = stack[--small];
            int rich = stack[large];
            own[poor] = (long) (weights[poor] * 0x1p32);
            alias[poor] = rich;
            weights[rich] -= 1 - weights[poor];
            if (weights[rich] < 1) {
                large++;
                stack[small++] = rich;
            }
        }
        while (small > 0) {
            own[stack[--small]] = 1L << 32;
        }
        while (large < n) {
            own[stack[large++]] = 1L << 32;
        }
    }
}
