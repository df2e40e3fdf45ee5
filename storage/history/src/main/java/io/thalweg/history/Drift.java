package io.thalweg.history;

import java.util.Arrays;

/**
 * How far the distribution of served values is from that of a baseline.
 *
 * <p><b>Units.</b> None. {@code psi} is the population stability index, the symmetric Kullback-Leibler divergence over the bins of the
 * baseline's deciles with zeros as a bin of their own; below 0.1 is usually called stable, above 0.25 shifted. {@code ks} is the
 * statistic of Kolmogorov and Smirnov for two samples, the largest distance between their distribution functions, 0 to 1.
 */
public record Drift(double psi, double ks) {
    private static final int BINS = 10;
    /** Stands for the share of an empty bin, whose logarithm would be infinite. */
    private static final double EMPTY_SHARE = 1e-4;

    /** Compares two samples, neither of them empty. */
    static Drift of(ValueSample baseline, ValueSample served) {
        double[] expected = baseline.sorted();
        double[] actual = served.sorted();
        return new Drift(psi(expected, actual), ks(expected, actual));
    }

    /** Values ascending. */
    static double psi(double[] expected, double[] actual) {
        double[] nonZero = Arrays.stream(expected).filter(value -> value != 0).toArray();
        double[] bounds = new double[nonZero.length == 0 ? 0 : BINS - 1];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = nonZero[(int) ((long) nonZero.length * (i + 1) / BINS)];
        }
        bounds = Arrays.stream(bounds).distinct().toArray(); // where many values are equal
        double[] expectedShares = shares(expected, bounds);
        double[] actualShares = shares(actual, bounds);
        double sum = 0;
        for (int i = 0; i < expectedShares.length; i++) {
            double e = Math.max(expectedShares[i], EMPTY_SHARE);
            double a = Math.max(actualShares[i], EMPTY_SHARE);
            sum += (a - e) * Math.log(a / e);
        }
        return sum;
    }

    /** Returns the share of zeros, and that of the other values in each bin; a bin begins with its lower bound. */
    private static double[] shares(double[] values, double[] bounds) {
        double[] counts = new double[bounds.length + 2];
        for (double value : values) {
            int bin = 0;
            if (value != 0) {
                int at = Arrays.binarySearch(bounds, value);
                bin = 1 + (at < 0 ? -at - 1 : at + 1);
            }
            counts[bin]++;
        }
        return Arrays.stream(counts).map(count -> count / values.length).toArray();
    }

    /** Values ascending. */
    static double ks(double[] expected, double[] actual) {
        int e = 0;
        int a = 0;
        double most = 0;
        while (e < expected.length && a < actual.length) {
            double value = Math.min(expected[e], actual[a]);
            while (e < expected.length && expected[e] == value) {
                e++;
            }
            while (a < actual.length && actual[a] == value) {
                a++;
            }
            most = Math.max(most, Math.abs(e / (double) expected.length - a / (double) actual.length));
        }
        return most;
    }
}
