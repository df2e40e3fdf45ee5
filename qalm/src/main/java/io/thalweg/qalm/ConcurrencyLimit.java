package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/**
 * How many calls of a lane should be under way at most, found by watching service times.
 *
 * <p>It starts at the most there can be, so that nobody is refused because of a guess. When calls slow down it tries fewer, and
 * while they wait although they are not slow it tries more. Each step is a trial: fewer are kept if calls got faster by at
 * least half of what the step promised, more are kept if they got slower by less than half of it; else it goes back. So a slow
 * dependency, which fewer calls would not make any faster, takes no slots away, and a step that was kept by chance is found out.
 *
 * <p><b>Units.</b> Calls; nanoseconds. <b>Threads.</b> One at a time.
 *
 * <p><b>Source.</b> The gradient of Netflix' concurrency-limits and of failsafe-go, on service time without the queue. Their
 * limits drift with a baseline that follows overload, and shrink under a slow dependency; hence the frozen baseline and
 * the trials.
 */
final class ConcurrencyLimit {
    /** A window says something from this many samples on: the mean of 60 lognormal times (σ 0.5) is good to 7 %. */
    static final int SAMPLES_MIN = 60;

    private static final double SLOW = 1.6;
    private static final double FEWER = 0.75;
    private static final double MORE = 1.5;
    /** Trials of fewer in a row that do not help: one may fail by chance; then what calls take is taken for normal. */
    private static final int FAILURES_MAX = 2;
    /** Windows until more are tried again after that did not help. */
    private static final int PATIENCE = 5;
    /** The baseline creeps with calm windows and jumps to much faster ones; what is in between, under load, is noise. */
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
    /** The step under trial; null = none. */
    private @Nullable Step trial;

    /** Calls that were under way at the last step and still have to end before the next window begins. */
    private double settling;

    private int failures;
    private int patience;
    /** A trial must not begin with an outlier: after one, everything looks like help. */
    private boolean slowBefore;

    /** From how many calls at a time it went to how many, what calls took then, and the limit to go back to. */
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
        if (settling > 0) {
            settling -= samples;
            begin();
        } else if (count >= SAMPLES_MIN) {
            judge(sum / count, timeMax);
            begin();
        }
    }

    /** The process stood still: what the calls under way took says nothing. */
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
