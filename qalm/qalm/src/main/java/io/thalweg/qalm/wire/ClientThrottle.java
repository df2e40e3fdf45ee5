package io.thalweg.qalm.wire;

import io.thalweg.qalm.Criticality;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Holds back a client's calls to one endpoint that the server would refuse, so that the server spends nothing on them.
 *
 * <p>It throttles only levels 2 and 3, by two criteria. The threshold in the server's answers, valid for a second, stops a level
 * completely. The share of recently accepted calls follows the rule of Google's SRE book: with {@code K = 2}, refuse locally with
 * probability {@code (requests − K · accepts) / (requests + 1)}, but at most 95 %. Without that cap, a client with many calls
 * would detect the end of an overload only after minutes.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class ClientThrottle {
    private static final double K = 2;
    private static final double FORGET_NANOS = 2e9;
    private static final double REFUSE_MAX = 0.95;
    private static final long THRESHOLD_NANOS = 1_000_000_000;
    private static final int RANKS_PER_LEVEL = 128;

    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final double[] requests = new double[2];
    private final double[] accepts = new double[2];
    private long fadedNanos;
    private int thresholdRank = Integer.MAX_VALUE;
    private long thresholdNanos;

    /** {@code random} is used by one thread at a time. */
    public ClientThrottle(LongSupplier nanoTime, RandomGenerator random) {
        this.nanoTime = nanoTime;
        this.random = random;
        this.fadedNanos = nanoTime.getAsLong();
    }

    /** Whether to send a call; a call that is not sent counts as refused. */
    public synchronized boolean send(Criticality criticality) {
        if (!criticality.sheddable()) {
            return true;
        }
        int level = level(criticality);
        fade();
        double refuse = Math.min(REFUSE_MAX, (requests[level] - K * accepts[level]) / (requests[level] + 1));
        boolean sent = !aboveThreshold(criticality) && random.nextDouble() >= refuse;
        requests[level] += sent ? 0 : 1;
        return sent;
    }

    private boolean aboveThreshold(Criticality criticality) {
        return criticality.level() * RANKS_PER_LEVEL > thresholdRank
                && nanoTime.getAsLong() - thresholdNanos < THRESHOLD_NANOS;
    }

    /**
     * Records an answer.
     *
     * @param accepted false if the server refused the call because of overload
     * @param threshold the header {@link CallHeaders#THRESHOLD}, null if absent
     */
    public synchronized void answered(Criticality criticality, boolean accepted, @Nullable String threshold) {
        // Calls count only when answered. Otherwise many concurrent first calls would throttle each other.
        if (criticality.sheddable()) {
            fade();
            requests[level(criticality)]++;
            accepts[level(criticality)] += accepted ? 1 : 0;
        }
        thresholdRank =
                threshold != null && threshold.matches("\\d{1,3}") ? Integer.parseInt(threshold) : Integer.MAX_VALUE;
        thresholdNanos = nanoTime.getAsLong();
    }

    private static int level(Criticality criticality) {
        return criticality.level() - Criticality.FEATURE.level();
    }

    private void fade() {
        long now = nanoTime.getAsLong();
        double keep = Math.exp(-(now - fadedNanos) / FORGET_NANOS);
        fadedNanos = now;
        for (int level = 0; level < requests.length; level++) {
            requests[level] *= keep;
            accepts[level] *= keep;
        }
    }
}
