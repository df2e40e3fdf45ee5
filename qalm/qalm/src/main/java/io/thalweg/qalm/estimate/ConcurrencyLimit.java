package io.thalweg.qalm.estimate;

import org.jspecify.annotations.Nullable;

/**
 * Tunes the maximum number of calls of a lane in flight by observing service times.
 *
 * <p>The limit starts at the maximum, so that no call is refused because of a guess. It is lowered when calls slow down, and
 * raised while it is reached although calls are not slow. Each step is a trial. A lower limit is kept if calls become faster by
 * at least half of the expected gain, a higher one if they become slower by less than half; otherwise the limit is restored. A
 * slow dependency, which a lower limit would not make faster, therefore costs no slots, and a step that was kept by chance is
 * reversed later.
 *
 * <p><b>Units.</b> Calls; nanoseconds. <b>Threads.</b> One at a time.
 *
 * <p><b>Source.</b> The gradient of Netflix' concurrency-limits and of failsafe-go, applied to the service time without the queue.
 * Their limits drift with a baseline that follows overload, and shrink under a slow dependency. The frozen baseline and the trials
 * avoid both.
 */
public final class ConcurrencyLimit {
    /** The minimum number of samples in a window: the mean of 60 lognormal times (σ 0.5) has a standard error of 7 %. */
    static final int SAMPLES_MIN = 60;

    private static final double SLOW = 1.6;
    private static final double FEWER = 0.75;
    private static final double MORE = 1.5;
    /** The number of successive failed trials of a lower limit after which the current service time becomes the baseline. */
    private static final int FAILURES_MAX = 2;
    /** The number of windows to wait after a failed trial of a higher limit. */
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

    /** The number of calls in flight at the last step that must still end before the next window starts. */
    private double settling;

    private int failures;
    private int patience;
    /** A trial needs two slow windows: after a single outlier every step would look like a gain. */
    private boolean slowBefore;

    /** A step from one number of concurrent calls to another, the service time before it, and the limit to restore. */
    private record Step(int from, int to, double time, int limitBefore) {
        boolean helped(double timeAfter) {
            return timeAfter <= time * (1 + (double) to / from) / 2;
        }
    }

    public ConcurrencyLimit(int min, int max) {
        this.min = Math.min(min, max);
        this.max = max;
        this.limit = max;
    }

    public int limit() {
        return limit;
    }

    /** The service time without overload; NaN while unknown. */
    public double baselineNanos() {
        return baseline;
    }

    /**
     * Adds the calls of an interval.
     *
     * @param samples calls that ended in it
     * @param sumNanos the sum of their service times
     * @param inflight the maximum number of calls in flight
     * @param waited whether calls had to wait; such an interval does not raise the baseline
     * @param timeMax service time above which calls count as slow regardless of the baseline; infinite if not configured
     */
    public void add(double samples, double sumNanos, int inflight, boolean waited, double timeMax) {
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

    /** Discards the service times of the calls in flight, because the process was paused. */
    public void paused(int inflight) {
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
