package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/**
 * Finds the maximum number of calls of a lane under way by observing service times.
 *
 * <p>The limit starts at the maximum, so that no call is refused because of a guess. When calls slow down it tries a lower limit; while
 * calls wait although they are not slow it tries a higher one. Each step is a trial. A lower limit is kept if calls became faster by at
 * least half of the expected gain, a higher one if they became slower by less than half; otherwise the limit is restored. So a
 * slow dependency, which a lower limit would not make faster, takes no slots away, and a step that was kept by chance is reversed later.
 *
 * <p><b>Units.</b> Calls; nanoseconds. <b>Threads.</b> One at a time.
 *
 * <p><b>Source.</b> The gradient of Netflix' concurrency-limits and of failsafe-go, on service time without the queue. Their
 * limits drift with a baseline that follows overload, and shrink under a slow dependency; hence the frozen baseline and
 * the trials.
 */
final class ConcurrencyLimit {
    /** The samples of a window: the mean of 60 lognormal times (σ 0.5) has a standard error of 7 %. */
    static final int SAMPLES_MIN = 60;

    private static final double SLOW = 1.6;
    private static final double FEWER = 0.75;
    private static final double MORE = 1.5;
    /** After this many successive trials of a lower limit without gain, the current service time becomes the baseline. */
    private static final int FAILURES_MAX = 2;
    /** Windows until the next trial of a higher limit after one that failed. */
    private static final int PATIENCE = 5;
    /** The baseline moves slowly towards windows without a queue and quickly towards much faster ones; other windows are noise. */
    private static final double CREEP = 0.01;

    private static final double JUMP = 0.3;
    private static final double MUCH_FASTER = 0.8;

    private final int min;
    private final int max;
    private int limit;
    private double baseline = Double.NaN;
    private double count;
    private double sum;
    private int peak;
    private boolean queued;
    /** The step under trial; null if none. */
    private @Nullable Step trial;

    /** Calls under way at the last step that must end before the next window starts. */
    private double settling;

    private int failures;
    private int patience;
    /** A trial needs two slow windows: after a single outlier every step would look like a gain. */
    private boolean slowBefore;

    /** The step from one number of calls at a time to another, the service time before it, and the limit to restore. */
    private record Step(int from, int to, double time, int limitBefore) {
        boolean helped(double timeAfter) {
            return timeAfter <= time * (1 + (double) to / from) / 2;
        }
    }

    ConcurrencyLimit(int min, int max) {
        this.min = Math.min(min, max);
        this.max = max;
        this.limit = max;
    }

    int limit() {
        return limit;
    }

    /** The service time without overload; NaN while unknown. */
    double baselineNanos() {
        return baseline;
    }

    /**
     * Adds an interval.
     *
     * @param samples calls that ended in it
     * @param sumNanos the sum of their service times
     * @param inflight the maximum number of calls under way
     * @param waited whether calls had to wait; then the baseline does not learn from it
     * @param timeMax service time above which calls are slow whatever the baseline; infinite if not configured
     */
    void add(double samples, double sumNanos, int inflight, boolean waited, double timeMax) {
        count += samples;
        sum += sumNanos;
        peak = Math.max(peak, inflight);
        queued |= waited;
        if (settling > 0) {
            settling -= samples;
            begin();
        } else if (count >= SAMPLES_MIN) {
            judge(sum / count, timeMax);
            begin();
        }
    }

    /** The process did not run, so the service times of the calls under way mean nothing. */
    void paused(int inflight) {
        settling = Math.max(settling, inflight);
        begin();
    }

    private void begin() {
        count = 0;
        sum = 0;
        peak = 0;
        queued = false;
    }

    private void judge(double time, double timeMax) {
        if (trial != null) {
            conclude(trial, time);
            trial = null;
        }
        learn(time);
        patience--;
        boolean slow = time > SLOW * Math.min(baseline, timeMax / SLOW);
        if (slow && slowBefore) {
            int from = Math.max(min, Math.min(limit, peak));
            tryStep(from, Math.max(min, (int) (FEWER * from)), time);
        } else if (!slow && peak >= limit && patience <= 0) {
            tryStep(limit, Math.min(max, Math.max(limit + 1, (int) (MORE * limit))), time);
        }
        slowBefore = slow;
    }

    private void conclude(Step step, double time) {
        if (step.helped(time)) {
            failures = 0;
            return;
        }
        limit = step.limitBefore;
        if (step.to > step.from) {
            patience = PATIENCE;
            return;
        }
        failures++;
        if (failures == FAILURES_MAX) {
            failures = 0;
            baseline = time;
        }
    }

    private void tryStep(int from, int to, double time) {
        if (from != to) {
            trial = new Step(from, to, time, limit);
            limit = to;
            settling = from;
        }
    }

    private void learn(double time) {
        if (Double.isNaN(baseline)) {
            baseline = time;
        } else if (time < MUCH_FASTER * baseline) {
            baseline += JUMP * (time - baseline);
        } else if (!queued && time < SLOW * baseline) {
            baseline += CREEP * (time - baseline);
        }
    }
}
