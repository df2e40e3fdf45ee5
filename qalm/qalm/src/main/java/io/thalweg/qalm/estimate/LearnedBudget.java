package io.thalweg.qalm.estimate;

/**
 * The number of never-drop calls per second that a caller may make before the rest count as level 2. It is twice the 99.9 %
 * quantile of the calls per second, over the seconds with calls: infinite for the first {@value #SECONDS_MIN} of them, then at
 * least {@value #LEAST}.
 *
 * <p>Old seconds fade, by half in about 17 hours of calling. A second counts for no more than the budget, so a sudden burst, such
 * as a load test in the caller's name, raises the budget slowly.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class LearnedBudget {
    static final int SECONDS_MIN = 600;
    static final double LEAST = 5;

    private static final double QUANTILE = 0.999;
    private static final double TIMES = 2;
    private static final int PER_OCTAVE = 4;
    private static final int CELLS = 20 * PER_OCTAVE;
    /** Later seconds get a higher weight, instead of lowering that of earlier ones, so that only one cell changes. */
    private static final double GROWTH = 1 + 1.0 / 86_400;

    private static final double WEIGHT_MAX = 1e9;

    private final double[] weights = new double[CELLS];
    private double total;
    private double weight = 1;
    private int seconds;
    private double perSecond = Double.POSITIVE_INFINITY;

    /** Adds a second with at least one call. */
    public void second(long calls) {
        int cell = cell(Math.min((double) calls, perSecond));
        weights[cell] += weight;
        total += weight;
        weight *= GROWTH;
        seconds = Math.min(seconds + 1, SECONDS_MIN);
        if (weight > WEIGHT_MAX) {
            rescale();
        }
        if (seconds == SECONDS_MIN) {
            perSecond = Math.max(LEAST, TIMES * quantile());
        }
    }

    /** The learned budget. */
    public double perSecond() {
        return perSecond;
    }

    private void rescale() {
        for (int i = 0; i < CELLS; i++) {
            weights[i] /= weight;
        }
        total /= weight;
        weight = 1;
    }

    private static int cell(double calls) {
        return Math.min(CELLS - 1, (int) (PER_OCTAVE * Math.log(calls) / Math.log(2)));
    }

    /** The upper end of the quantile's cell: not below the true value, and at most a fifth above. */
    private double quantile() {
        double above = (1 - QUANTILE) * total;
        int cell = CELLS - 1;
        for (double sum = weights[cell]; sum <= above && cell > 0; sum += weights[cell]) {
            cell--;
        }
        return Math.pow(2, (cell + 1.0) / PER_OCTAVE);
    }
}
