package io.thalweg.qalm.estimate;

/**
 * Detects whether a lane is overloaded. An overload begins when every call in two successive windows of 100 ms waited longer than
 * the onset delay, {@code T} or more. It ends once the oldest waiting call has been younger than {@code T / 2} for half a second.
 *
 * <p>A pause of the process (garbage collection, a stolen CPU) also makes calls wait. The backlog of a pause drains afterwards
 * and is not an overload. Calls may therefore wait longer by the length of the pause, an allowance that shrinks by a third of the
 * time that passes. The allowance is at most half a second, because a machine without enough processors pauses all the time, and
 * longer waits there are an overload.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class OverloadDetector {
    private static final long WINDOW_NANOS = DelayWindow.CELL_NANOS * DelayWindow.CELLS;
    private static final long CALM_NANOS = 500_000_000;
    private static final int DRAIN = 3;
    private static final long ALLOWANCE_NANOS_MAX = 500_000_000;

    private final DelayWindow delays;
    private boolean overloaded;
    private long overloadedAt;
    private long calmAt;
    private boolean calm;
    private boolean suspicious;
    private long suspectedAt;
    /** How much longer calls may wait because of pauses, at {@link #allowedAt}. */
    private long allowanceNanos;

    private long allowedAt;

    public OverloadDetector(DelayWindow delays, long nowNanos) {
        this.delays = delays;
        this.allowedAt = nowNanos;
    }

    public boolean overloaded() {
        return overloaded;
    }

    /** How long the overload has lasted; 0 if there is none. */
    public long overloadedNanos(long nowNanos) {
        return overloaded ? nowNanos - overloadedAt : 0;
    }

    public void paused(long nowNanos, long pauseNanos) {
        allowanceNanos = Math.min(allowance(nowNanos) + pauseNanos, ALLOWANCE_NANOS_MAX);
        allowedAt = nowNanos;
    }

    private long allowance(long nowNanos) {
        return Math.max(0, allowanceNanos - (nowNanos - allowedAt) / DRAIN);
    }

    /**
     * Updates the state. Called every 10 ms while calls wait or the lane is overloaded.
     *
     * @param oldestNanos how long the oldest call has been waiting, 0 if none waits
     * @param onsetNanos the delay above which an overload begins: {@code T} or more
     * @param thresholdNanos {@code T}
     */
    public void update(long nowNanos, long oldestNanos, long onsetNanos, long thresholdNanos) {
        if (overloaded) {
            recover(nowNanos, oldestNanos < thresholdNanos / 2);
            return;
        }
        long allowed = onsetNanos + allowance(nowNanos);
        if (queuePersists(nowNanos, allowed) || stalled(nowNanos, oldestNanos, allowed)) {
            suspect(nowNanos);
        } else {
            suspicious = false;
        }
    }

    /** Waits for a second window: the minimum of one window may exceed the threshold by chance, that of two rarely does. */
    private void suspect(long nowNanos) {
        if (!suspicious) {
            suspectedAt = nowNanos;
        }
        suspicious = true;
        if (nowNanos - suspectedAt >= WINDOW_NANOS) {
            overloaded = true;
            overloadedAt = nowNanos;
            suspicious = false;
            calm = false;
        }
    }

    private boolean queuePersists(long nowNanos, long thresholdNanos) {
        return delays.samples(nowNanos) >= 2 && delays.minNanos(nowNanos) > thresholdNanos;
    }

    /** No call left the queue in a whole window although calls waited: all workers are blocked. */
    private boolean stalled(long nowNanos, long oldestNanos, long thresholdNanos) {
        return delays.samples(nowNanos) == 0 && oldestNanos > Math.max(thresholdNanos, WINDOW_NANOS);
    }

    private void recover(long nowNanos, boolean calmNow) {
        if (calmNow && !calm) {
            calmAt = nowNanos;
        }
        calm = calmNow;
        if (calm && nowNanos - calmAt >= CALM_NANOS) {
            overloaded = false;
        }
    }
}
