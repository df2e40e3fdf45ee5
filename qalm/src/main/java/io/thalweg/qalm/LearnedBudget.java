package io.thalweg.qalm;

/**
 * How many never-drop calls a second a caller may make before the rest count as level 2: twice what 99.9 % of the seconds needed in
 * which it called at all. Infinite until it has called in {@value #SECONDS_MIN} seconds; then at least {@value #LEAST}.
 *
 * <p>Old seconds fade, by half in some 17 hours of calling. A second counts for no more than the budget, so that a caller who
 * multiplies its calls at once, a load test in its name, takes a while to be believed.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class LearnedBudget {
    static final int SECONDS_MIN = 600;
    static final double LEAST = 5;

    private static final double QUANTILE = 0.999;
    private static final double TIMES = 2;
    private static final int PER_OCTAVE = 4;
    private static final int CELLS = 20 * PER_OCTAVE;
    /** A later second weighs more, instead of the earlier ones less: only one cell changes. */
    private static final double GROWTH = 1 + 1.0 / 86_400;

    private static final double WEIGHT_MAX = 1e9;

    private final double[] weights = new double[CELLS];
    private double total;
    private double weight = 1;
    private int seconds;
    private double perSecond = Double.POSITIVE_INFINITY;

    /** A second with so many calls, at least one. */
    void second(long calls) {
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

    /** The budget. */
    double perSecond() {
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

    /** The upper end of the cell: never less than it was, at most a fifth more. */
    private double quantile() {
        double above = (1 - QUANTILE) * total;
        int cell = CELLS - 1;
        for (double sum = weights[cell]; sum <= above && cell > 0; sum += weights[cell]) {
            cell--;
        }
        return Math.pow(2, (cell + 1.0) / PER_OCTAVE);
    }
}
