package io.thalweg.jobs.stream;

/**
 * Decides how many streams a subtask has, from a sample per second. It doubles the number if rows wait for streams, keeps the increase if the
 * throughput grows, and shrinks if streams are idle. After an unsuccessful increase, it tries one more stream a minute later, and doubles this
 * step as long as increases succeed. Under a quota, the number therefore varies by one stream only.
 *
 * <p><b>Threads.</b> One.
 */
final class StreamCount {
    /** Rows count as waiting if all streams were full for this share of the time. */
    private static final double CROWDED = 0.1;

    /** An increase succeeds if the throughput grows by this factor, or by half the relative increase in streams if that is less. */
    private static final double GAIN = 1.05;

    /** A stream is idle if one stream fewer would have less than this share of its capacity in flight. */
    private static final double IDLE = 0.3;

    /** The number of samples after an increase that decide about it; the first one does not count. */
    private static final int TRIAL = 6;

    /** The weight of the newest sample in the mean rate: single samples vary by more than the gain that an increase needs. */
    private static final double NEWEST = 0.2;

    /** The number of samples before the next attempt after an unsuccessful increase, and of idle samples before a stream is removed. */
    private static final int PATIENCE = 60;

    private final int least;
    private final int most;
    private int streams;
    private int grownFrom;
    private int trial;
    /** The maximum size of the next increase: unlimited (a doubling) until an increase fails, then small steps. */
    private int step = Integer.MAX_VALUE;
    /** The mean rate at the current size, and at the size on trial. */
    private double rate;

    private double rateSince;
    private int hold;
    private int idle;

    StreamCount(int least, int most) {
        this.least = least;
        this.most = most;
        streams = least;
    }

    /**
     * A sample.
     *
     * @param full the share of time in which rows waited because all streams were full, 0 to 1
     * @param load the share of the streams' capacity that was in flight, 0 to 1
     * @param rate bytes per second that became durable
     */
    record Look(double full, double load, double rate) {}

    int streams() {
        return streams;
    }

    /** Takes a sample and returns the new number of streams. */
    int next(Look look) {
        if (trial > 0) {
            judge(look);
            return streams;
        }
        rate = rate == 0 ? look.rate() : rate + NEWEST * (look.rate() - rate);
        if (hold > 0) {
            hold--;
        } else if (look.full() > CROWDED && streams < most) {
            grow();
        }
        shrink(look);
        return streams;
    }

    private void grow() {
        grownFrom = streams;
        streams = Math.min(most, streams + Math.min(step, streams));
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
            streams = grownFrom;
            hold = PATIENCE;
            step = 1;
        } else {
            rate = rateSince;
            step = step > most ? step : 2 * step;
        }
    }

    private double gain() {
        return Math.min(GAIN, 1 + 0.5 * (streams - grownFrom) / grownFrom);
    }

    private void shrink(Look look) {
        boolean fitsFewer = look.full() == 0 && look.load() * streams < IDLE * (streams - 1);
        idle = fitsFewer && streams > least ? idle + 1 : 0;
        if (idle >= PATIENCE) {
            streams--;
            idle = 0;
        }
    }
}
