package io.thalweg.qalm;

import java.util.Arrays;

/**
 * Which ranks are turned away on arrival, so that about 15 % more than the capacity come in.
 *
 * <p>A rank is {@code 128 × level + cohort}, 0 the best. The gate closes from the worst rank up until what it turns away is the
 * excess, never beyond rank {@value #SHEDDABLE}, where level 2 begins. The 15 % matter: with none, the queue runs empty by
 * chance and capacity is lost; with them, the priority queue picks the last victims and the gate still refuses most at once.
 *
 * <p><b>Units.</b> Calls per second, each counted by its weight. <b>Threads.</b> One at a time, but for {@link #threshold} of which anyone may hold a copy.
 */
final class Gate {
    static final int RANKS = 512;
    static final int SHEDDABLE = 256;
    /** Ranks above {@code rank} are refused, {@code rank} itself with probability {@code share}. */
    record Threshold(int rank, double share) {
        static final Threshold OPEN = new Threshold(RANKS, 0);

        /** The one that refuses more. */
        Threshold or(Threshold other) {
            return rank < other.rank || (rank == other.rank && share >= other.share) ? this : other;
        }
    }

    private static final double HEADROOM = 1.15;
    private static final double FORGET_NANOS = 0.5e9;

    private final int[] fresh = new int[RANKS];
    private final double[] arrivals = new double[RANKS];
    private double seconds;
    private long foldedNanos;

    Gate(long nowNanos) {
        this.foldedNanos = nowNanos;
    }

    void arrived(int rank, int weight) {
        fresh[rank] += weight;
    }

    /** Begins anew: what arrived before is too long ago. */
    void reset(long nowNanos) {
        Arrays.fill(fresh, 0);
        Arrays.fill(arrivals, 0);
        seconds = 0;
        foldedNanos = nowNanos;
    }

    /** Where the gate has to stand for this capacity; takes in what arrived since the last time. */
    Threshold threshold(long nowNanos, double capacityPerSecond) {
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
