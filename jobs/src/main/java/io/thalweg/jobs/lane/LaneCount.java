package io.thalweg.jobs.lane;

/**
 * Decides how many lanes a subtask has, from what it looks at once a second. It doubles where rows wait for lanes, keeps the growth if
 * more gets through, and shrinks where lanes are idle. Where a growth did not pay, it tries one more lane a minute later, and so on in steps
 * that double for as long as they pay: behind a quota, the number stays as it is but for one lane.
 *
 * <p><b>Threads.</b> One.
 */
final class LaneCount {
    /** Rows wait if all lanes were full for this share of the time. */
    private static final double CROWDED = 0.1;

    /** Growth has paid if this much more gets through, or half as much more as there are more lanes. */
    private static final double GAIN = 1.05;

    /** Lanes are idle if this share of what they could carry is on its way. */
    private static final double IDLE = 0.3;

    /** Looks that growth has to prove itself, the first of which does not count. */
    private static final int TRIAL = 6;

    /** How much the newest look counts in the mean rate: one look alone varies by more than growth must gain. */
    private static final double NEWEST = 0.2;

    /** Looks for which a size that did not pay is not tried again, and lanes must be idle before one is removed. */
    private static final int PATIENCE = 60;

    private final int least;
    private final int most;
    private int lanes;
    private int grownFrom;
    private int trial;
    /** By how many lanes the next growth is: all there are, unless a growth did not pay, since when it is found out in small steps. */
    private int step = Integer.MAX_VALUE;
    /** Mean rate of the present size, and of the size on trial. */
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
     * What a look has seen.
     *
     * @param full share of the time in which rows waited because all lanes were full, 0 to 1
     * @param load share of what the lanes can carry that was on its way, 0 to 1
     * @param rate bytes a second that became durable
     */
    record Look(double full, double load, double rate) {}

    int lanes() {
        return lanes;
    }

    /** How many lanes there should be from now on. */
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
