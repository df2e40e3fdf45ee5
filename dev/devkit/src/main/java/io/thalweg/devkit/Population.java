package io.thalweg.devkit;

import io.thalweg.records.generate.SplitMix;

/**
 * Chooses the active people. In a minute, events come from a pool whose size makes the wanted share of them repeats. The
 * pool moves through the population by a sixth every minute, so that a person stays for about six minutes.
 */
final class Population {
    private static final int STAY_MINUTES = 6;

    private final int size;
    private final int pool;

    Population(int size, double eventsPerSecond, double repeatShare) {
        this.size = size;
        double events = eventsPerSecond * 60;
        this.pool = (int) Math.max(1, Math.min(size, Math.ceil(events * poolPerEvent(1 - repeatShare))));
    }

    /** Solves for x: n draws from n·x people meet n·x·(1 − e^(−1/x)) different ones, which must be {@code distinct} of n. */
    private static double poolPerEvent(double distinct) {
        double low = 0;
        double high = 1_000;
        for (int i = 0; i < 60; i++) {
            double x = (low + high) / 2;
            if (x * -StrictMath.expm1(-1 / x) < distinct) {
                low = x;
            } else {
                high = x;
            }
        }
        return high;
    }

    /** Returns a person who is active in this minute. */
    int draw(long minute, SplitMix random) {
        long first = Math.floorMod(minute * Math.max(1, pool / STAY_MINUTES), (long) size);
        return (int) ((first + random.nextInt(pool)) % size);
    }
}
