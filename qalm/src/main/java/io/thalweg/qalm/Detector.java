package io.thalweg.qalm;

/**
 * Tells whether a lane is overloaded: calls waited longer than {@code T} in a whole window of 100 ms. It is over once the
 * oldest waiting call has been younger than {@code T / 2} for half a second.
 *
 * <p>A pause of the process (garbage collection, a stolen CPU) also lets calls wait. After one, a backlog of the pause's length
 * has to drain, which is no overload: the detector is patient for three times the pause, at most two seconds.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Detector {
    private static final long WINDOW_NANOS = DelayWindow.CELL_NANOS * DelayWindow.CELLS;
    private static final long CALM_NANOS = 500_000_000;
    private static final int PATIENCE = 3;
    private static final long PATIENCE_NANOS_MAX = 2_000_000_000;

    private final DelayWindow delays;
    private boolean overloaded;
    private long overloadedAt;
    private long calmAt;
    private boolean calm;
    private boolean suspicious;
    private long suspectedAt;
    private long patientUntil;

    Detector(DelayWindow delays, long nowNanos) {
        this.delays = delays;
        this.patientUntil = nowNanos;
    }

    boolean overloaded() {
        return overloaded;
    }

    /** How long the overload has lasted; 0 if there is none. */
    long overloadedNanos(long nowNanos) {
        return overloaded ? nowNanos - overloadedAt : 0;
    }

    void paused(long nowNanos, long pauseNanos) {
        delays.clear();
        suspicious = false;
        patientUntil = nowNanos + Math.min(PATIENCE * pauseNanos, PATIENCE_NANOS_MAX);
    }

    /**
     * Looks again; every 10 ms while calls wait or the lane is overloaded.
     *
     * @param oldestNanos how long the oldest call has been waiting, 0 if none waits
     * @param thresholdNanos {@code T}
     */
    void look(long nowNanos, long oldestNanos, long thresholdNanos) {
        if (overloaded) {
            recover(nowNanos, oldestNanos < thresholdNanos / 2);
        } else if (nowNanos - patientUntil >= 0
                && (queueStands(nowNanos, thresholdNanos) || stalled(nowNanos, oldestNanos, thresholdNanos))) {
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
