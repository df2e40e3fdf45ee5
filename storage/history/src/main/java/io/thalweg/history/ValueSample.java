package io.thalweg.history;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The distribution of a feature: exact counts, and a uniform sample of its values.
 *
 * <p><b>Memory.</b> 800 kB at most. <b>Threads.</b> One.
 */
public final class ValueSample {
    /** Beyond this many values, a random sample of that size stands for them. */
    static final int MOST = 100_000;

    private final SplittableRandom random = new SplittableRandom(42);
    private double[] sample = new double[64];
    private long values;
    private long nulls;
    private long texts;
    private long zeros;

    /** Adds a value. */
    void add(double value) {
        zeros += value == 0 ? 1 : 0;
        if (values < MOST) {
            if (values == sample.length) {
                sample = Arrays.copyOf(sample, (int) Math.min(MOST, 2L * sample.length));
            }
            sample[(int) values] = value;
        } else {
            long place = random.nextLong(values + 1);
            if (place < MOST) {
                sample[(int) place] = value;
            }
        }
        values++;
    }

    void addNull() {
        nulls++;
    }

    /** Adds a value that is not a number, of which only the presence counts. */
    void addText() {
        texts++;
    }

    /** The number of values that are numbers. */
    public long values() {
        return values;
    }

    /** The share of rows without a value; 0 without rows. */
    public double nullShare() {
        return values + texts + nulls == 0 ? 0 : nulls / (double) (values + texts + nulls);
    }

    /** The share of values that are zero; 0 without values. */
    public double zeroShare() {
        return values == 0 ? 0 : zeros / (double) values;
    }

    /** Returns the sampled values, ascending. */
    public double[] sorted() {
        double[] sorted = Arrays.copyOf(sample, (int) Math.min(values, MOST));
        Arrays.sort(sorted);
        return sorted;
    }
}
