package io.thalweg.qalm;

/**
 * The rates of the last full second, computed from the counters of a lane.
 *
 * <p><b>Units.</b> Calls per second, by weight. <b>Threads.</b> {@link #update} belongs to one thread at a time; the rates are safe to
 * read.
 */
final class ArrivalRates {
    private final LaneCounts counts;
    private long arrivals;
    private long neverDrop;
    private long shed;
    private long updatedNanos;

    private volatile double offeredPerSecond;
    private volatile double neverDropPerSecond;
    private volatile double shedRatio;

    ArrivalRates(LaneCounts counts, long nowNanos) {
        this.counts = counts;
        this.updatedNanos = nowNanos;
    }

    void update(long nowNanos) {
        double past = (nowNanos - updatedNanos) / 1e9;
        if (past <= 0) {
            return;
        }
        long newArrivals = counts.arrivals() - arrivals;
        long newNeverDrop = counts.neverDropArrivals() - neverDrop;
        long newShed = counts.shed() - shed;
        offeredPerSecond = newArrivals / past;
        neverDropPerSecond = newNeverDrop / past;
        shedRatio = Math.min(1, (double) newShed / Math.max(1, newArrivals));
        arrivals += newArrivals;
        neverDrop += newNeverDrop;
        shed += newShed;
        updatedNanos = nowNanos;
    }

    double offeredPerSecond() {
        return offeredPerSecond;
    }

    double neverDropPerSecond() {
        return neverDropPerSecond;
    }

    /** The share of the calls that was shed, 0 to 1. */
    double shedRatio() {
        return shedRatio;
    }
}
