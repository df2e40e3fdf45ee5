package io.thalweg.qalm.estimate;

import java.util.Arrays;

/**
 * Estimates which ranks to refuse on arrival, so that the calls let in exceed the capacity by about 15 %.
 *
 * <p>A rank is {@code 128 × level + cohort}; 0 is the most critical. The gate closes from the least critical rank until it refuses the
 * excess, at most down to rank {@value #SHEDDABLE}, where level 2 begins. Without the 15 % the queue would run empty by chance and
 * waste capacity. With them the queue selects the last victims, and the gate still refuses most of the excess at once.
 *
 * <p><b>Units.</b> Calls per second, by weight. <b>Threads.</b> One at a time; a {@link Threshold} is immutable.
 */
public final class RankGate {
    public static final int COHORTS = 128;
    public static final int RANKS = 4 * COHORTS;
    public static final int SHEDDABLE = 2 * COHORTS;

    /** Refuses ranks above {@code rank}, and {@code rank} itself with probability {@code share}. */
    public record Threshold(int rank, double share) {
        public static final Threshold OPEN = new Threshold(RANKS, 0);

        /** Returns the threshold that refuses more. */
        public Threshold or(Threshold other) {
            return rank < other.rank || (rank == other.rank && share >= other.share) ? this : other;
        }
    }

    private static final double HEADROOM = 1.15;
    private static final double FORGET_NANOS = 0.5e9;

    private final int[] fresh = new int[RANKS];
    private final double[] arrivals = new double[RANKS];
    private double seconds;
    private long foldedNanos;

    public RankGate(long nowNanos) {
        this.foldedNanos = nowNanos;
    }

    public void arrived(int rank, int weight) {
        fresh[rank] += weight;
    }

    /** Forgets earlier arrivals. */
    public void reset(long nowNanos) {
        Arrays.fill(fresh, 0);
        Arrays.fill(arrivals, 0);
        seconds = 0;
        foldedNanos = nowNanos;
    }

    /** Returns the threshold for a capacity, after adding the arrivals since the last invocation. */
    public Threshold threshold(long nowNanos, double capacityPerSecond) {
        fold(nowNanos);
        double offered = offeredPerSecond();
        double excess = offered - HEADROOM * capacityPerSecond;
        if (!(excess > 0)) {
            return Threshold.OPEN;
        }
        for (int rank = RANKS - 1; rank >= SHEDDABLE; rank--) {
            double rate = arrivals[rank] / seconds;
            if (rate >= excess) {
                return new Threshold(rank, excess / rate);
            }
            excess -= rate;
        }
        return new Threshold(SHEDDABLE, 1);
    }

    double offeredPerSecond() {
        return seconds == 0 ? 0 : Arrays.stream(arrivals).sum() / seconds;
    }

    private void fold(long nowNanos) {
        double keep = Math.exp(-(nowNanos - foldedNanos) / FORGET_NANOS);
        seconds = seconds * keep + (nowNanos - foldedNanos) / 1e9;
        foldedNanos = nowNanos;
        for (int rank = 0; rank < RANKS; rank++) {
            arrivals[rank] = arrivals[rank] * keep + fresh[rank];
            fresh[rank] = 0;
        }
    }
}
