package io.thalweg.qalm;

/**
 * How many calls of a lane should be under way at most, found by watching service times.
 *
 * <p>It starts at the most there can be, so that nobody is refused because of a guess, and falls when calls slow down because
 * there are too many of them. Whether that is the reason is tried out: if calls get faster by at least half of what the
 * step promised, there were too many; if not, something else is slow (a dependency), fewer calls would only waste capacity, so
 * the step is undone and the new time is what is normal from now on.
 *
 * <p><b>Units.</b> Calls; nanoseconds. <b>Threads.</b> One at a time.
 *
 * <p><b>Source.</b> The gradient of Netflix' concurrency-limits and of failsafe-go, on service time without the queue. Their
 * limits drift with a baseline that follows overload, and shrink under a slow dependency; hence the frozen baseline and
 * the trial.
 */
final class ConcurrencyLimit {
    /** A window says something from this many samples on: the mean of 50 lognormal times (σ 0.5) is good to 8 %. */
    static final int SAMPLES_MIN = 50;

    private static final double HEALTHY = 1.25;
    private static final double SLOW = 1.6;
    private static final double STEP = 0.75;
    private static final double BASELINE_UP = 0.01;
    private static final double BASELINE_DOWN = 0.3;

    private final int min;
    private final int max;
    private double limit;
    private double baseline = Double.NaN;
    private double count;
    private double sum;
    private int peak;
    private boolean queued;
    /** The limit and the time before the step under trial; NaN = no trial. */
    private double limitBefore = Double.NaN;

    private double timeBefore;
    private boolean settling;

    ConcurrencyLimit(int min, int max) {
        this.min = Math.min(min, max);
        this.max = max;
        this.limit = max;
    }

    int limit() {
        return (int) limit;
    }

    /** What calls take when there are not too many; NaN while unknown. */
    double baselineNanos() {
        return baseline;
    }

    /**
     * Adds a stretch of time.
     *
     * @param samples calls that ended in it
     * @param sumNanos their service times
     * @param inflight the most that were under way
     * @param waited whether calls had to queue: then their times teach nothing about normal times
     * @param timeMax service time above which the lane is unhealthy whatever is normal; infinite if there is none
     */
    void add(double samples, double sumNanos, int inflight, boolean waited, double timeMax) {
        count += samples;
        sum += sumNanos;
        peak = Math.max(peak, inflight);
        queued |= waited;
        if (count < SAMPLES_MIN) {
            return;
        }
        // Calls that began before a step still end in the window after it.
        if (settling) {
            settling = false;
        } else {
            judge(sum / count, timeMax);
        }
        count = 0;
        sum = 0;
        peak = 0;
        queued = false;
    }

    private void judge(double time, double timeMax) {
        if (!Double.isNaN(limitBefore) && !stepHelped(time)) {
            limit = limitBefore;
            baseline = time;
        }
        limitBefore = Double.NaN;
        learn(time);
        double normal = Math.min(baseline, timeMax / SLOW);
        if (time > SLOW * normal) {
            shrink(time);
        } else if (time < HEALTHY * normal && peak >= limit / 2) {
            limit = Math.min(max, limit + Math.max(1, limit / 10));
        }
    }

    private boolean stepHelped(double time) {
        return time <= timeBefore * (1 + limit / limitBefore) / 2;
    }

    private void shrink(double time) {
        double from = Math.min(limit, Math.max(peak, min));
        double to = Math.max(min, STEP * from);
        if (to >= from) {
            return;
        }
        limitBefore = from;
        timeBefore = time;
        limit = to;
        settling = true;
    }

    private void learn(double time) {
        if (Double.isNaN(baseline)) {
            baseline = time;
        } else if (time < baseline) {
            baseline += BASELINE_DOWN * (time - baseline);
        } else if (!queued && time < SLOW * baseline) {
            baseline += BASELINE_UP * (time - baseline);
        }
    }
}
