package io.thalweg.qalm;

/**
 * Tells whether a lane is overloaded: calls waited longer than a delay, {@code T} or more, in a whole window of 100 ms. It is over
 * once the oldest waiting call has been younger than {@code T / 2} for half a second.
 *
 * <p>A pause of the process (garbage collection, a stolen CPU) also lets calls wait. After one, a backlog of the pause's length
 * has to drain, which is no overload: calls may wait so much longer, and a third of the time that goes by less. At most half a
 * second: on a machine that is always short of time there are always pauses, and calls that wait longer are an overload all the
 * same.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Detector {
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
    /** How much longer calls may wait because of pauses, as it was at a time. */
    private long allowanceNanos;

    private long allowedAt;

    Detector(DelayWindow delays, long nowNanos) {
        this.delays = delays;
        this.allowedAt = nowNanos;
    }

    boolean overloaded() {
        return overloaded;
    }

    /** How long the overload has lasted; 0 if there is none. */
    long overloadedNanos(long nowNanos) {
        return overloaded ? nowNanos - overloadedAt : 0;
    }

    void paused(long nowNanos, long pauseNanos) {
        allowanceNanos = Math.min(allowance(nowNanos) + pauseNanos, ALLOWANCE_NANOS_MAX);
        allowedAt = nowNanos;
    }

    private long allowance(long nowNanos) {
        return Math.max(0, allowanceNanos - (nowNanos - allowedAt) / DRAIN);
    }

    /**
     * Looks again; every 10 ms while calls wait or the lane is overloaded.
     *
     * @param oldestNanos how long the oldest call has been waiting, 0 if none waits
     * @param onsetNanos the delay above which an overload begins: {@code T} or more
     * @param thresholdNanos {@code T}
     */
    void look(long nowNanos, long oldestNanos, long onsetNanos, long thresholdNanos) {
        if (overloaded) {
            recover(nowNanos, oldestNanos < thresholdNanos / 2);
            return;
        }
        long allowed = onsetNanos + allowance(nowNanos);
        if (queueStands(nowNanos, allowed) || stalled(nowNanos, oldestNanos, allowed)) {
            suspect(nowNanos);
        } else {
            suspicious = false;
        }
    }

    /** The minimum of one window alone also stands above the threshold by chance; that of two in a row hardly does. */
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

    private boolean queueStands(long nowNanos, long thresholdNanos) {
        return delays.samples(nowNanos) >= 2 && delays.minNanos(nowNanos) > thresholdNanos;
    }

    /** Nothing left the queue in a whole window although somebody waited: all workers are stuck. */
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
