package io.thalweg.jobs.lane;

/**
 * Decides how many lanes a subtask has, from a sample per second. It doubles the number if rows wait for lanes, keeps the increase if the
 * throughput grows, and shrinks if lanes are idle. After an unsuccessful increase, it tries one more lane a minute later, and doubles this
 * step as long as increases succeed. Under a quota, the number therefore varies by one lane only.
 *
 * <p><b>Threads.</b> One.
 */
final class LaneCount {
    /** Rows count as waiting if all lanes were full for this share of the time. */
    private static final double CROWDED = 0.1;

    /** An increase succeeds if the throughput grows by this factor, or by half the relative increase in lanes if that is less. */
    private static final double GAIN = 1.05;

    /** A lane is idle if one lane fewer would have less than this share of its capacity in flight. */
    private static final double IDLE = 0.3;

    /** The number of samples after an increase that decide about it; the first one does not count. */
    private static final int TRIAL = 6;

    /** The weight of the newest sample in the mean rate: single samples vary by more than the gain that an increase needs. */
    private static final double NEWEST = 0.2;

    /** The number of samples before the next attempt after an unsuccessful increase, and of idle samples before a lane is removed. */
    private static final int PATIENCE = 60;

    private final int least;
    private final int most;
    private int lanes;
    private int grownFrom;
    private int trial;
    /** The maximum size of the next increase: unlimited (a doubling) until an increase fails, then small steps. */
    private int step = Integer.MAX_VALUE;
    /** The mean rate at the current size, and at the size on trial. */
    private double rate;

    private double rateSince;
    private int hold;
    private int idle;

    LaneCount(int least, int most) {
        this.least = least;
        this.most = most;
        lanes = least;
    }

    /**
     * A sample.
     *
     * @param full the share of time in which rows waited because all lanes were full, 0 to 1
     * @param load the share of the lanes' capacity that was in flight, 0 to 1
     * @param rate bytes per second that became durable
     */
    record Look(double full, double load, double rate) {}

    int lanes() {
        return lanes;
    }

    /** Takes a sample and returns the new number of lanes. */
    int next(Look look) {
        if (trial > 0) {
            judge(look);
            return lanes;
        }
        rate = rate == 0 ? look.rate() : rate + NEWEST * (look.rate() - rate);
        if (hold > 0) {
            hold--;
        } else if (look.full() > CROWDED && lanes < most) {
            grow();
        }
        shrink(look);
        return lanes;
    }

    private void grow() {
        grownFrom = lanes;
        lanes = Math.min(most, lanes + Math.min(step, lanes));
        rateSince = 0;
        trial = TRIAL;
    }

    private void judge(Look look) {
        trial--;
        if (trial < TRIAL - 1) {
            rateSince += look.rate() / (TRIAL - 1);
        }
        if (trial > 0) {
            return;
        }
        if (rateSince < gain() * rate && look.full() > CROWDED) {
            lanes = grownFrom;
            hold = PATIENCE;
            step = 1;
        } else {
            rate = rateSince;
            step = step > most ? step : 2 * step;
        }
    }

    private double gain() {
        return Math.min(GAIN, 1 + 0.5 * (lanes - grownFrom) / grownFrom);
    }

    private void shrink(Look look) {
        boolean fitsFewer = look.full() == 0 && look.load() * lanes < IDLE * (lanes - 1);
        idle = fitsFewer && lanes > least ? idle + 1 : 0;
        if (idle >= PATIENCE) {
            lanes--;
            idle = 0;
        }
    }
}
