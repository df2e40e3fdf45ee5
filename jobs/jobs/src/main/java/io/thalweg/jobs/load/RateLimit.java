package io.thalweg.jobs.load;

/** Limits work to a rate, without catching up on idle time. <b>Threads.</b> Single-threaded. */
final class RateLimit {
    private static final double NANOS = 1e9;

    private final double perSecond;
    private boolean begun;
    private long nextNanos;

    /**
     * Creates a limit.
     *
     * @param perSecond above 0; infinite = unlimited
     */
    RateLimit(double perSecond) {
        this.perSecond = perSecond;
    }

    /** Returns how much work may be done at once, small enough for several turns per second. */
    int atOnce(int most) {
        return (int) Math.max(1, Math.min(most, perSecond / 10));
    }

    /** Returns how long to wait before the next work; 0 = not at all. */
    long waitNanos(long nowNanos) {
        return begun ? Math.max(0, nextNanos - nowNanos) : 0;
    }

    /** Records completed work. */
    void did(int count, long nowNanos) {
        long from = begun && nextNanos - nowNanos > 0 ? nextNanos : nowNanos;
        begun = true;
        nextNanos = from + (long) (count / perSecond * NANOS);
    }
}
