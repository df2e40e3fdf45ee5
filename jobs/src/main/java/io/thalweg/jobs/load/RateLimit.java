package io.thalweg.jobs.load;

/** Holds work to a rate, without making up for time in which there was none. <b>Threads.</b> One. */
final class RateLimit {
    private static final double NANOS = 1e9;

    private final double perSecond;
    private boolean begun;
    private long nextNanos;

    /**
     * A pace.
     *
     * @param perSecond above 0; infinite = as fast as it goes
     */
    RateLimit(double perSecond) {
        this.perSecond = perSecond;
    }

    /** How much may be done in one go, so that a second sees several. */
    int atOnce(int most) {
        return (int) Math.max(1, Math.min(most, perSecond / 10));
    }

    /** For how long to wait before going on; 0 = not at all. */
    long waitNanos(long nowNanos) {
        return begun ? Math.max(0, nextNanos - nowNanos) : 0;
    }

    /** Notes what was done. */
    void did(int count, long nowNanos) {
        long from = begun && nextNanos - nowNanos > 0 ? nextNanos : nowNanos;
        begun = true;
        nextNanos = from + (long) (count / perSecond * NANOS);
    }
}
