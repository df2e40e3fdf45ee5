package io.thalweg.jobs.function;

import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Detects calls that do not return in time.
 *
 * <p><b>Cost.</b> Two ordered writes per call; only the watch reads the clock. It polls at a tenth of the limit (at most a second) and
 * measures a call from its first poll, so it reports a call up to two polls late.
 *
 * <p><b>Threads.</b> One thread calls. A daemon thread watches, and ends with {@link #close}.
 */
public final class CallWatch implements Closeable {
    private static final long MOST_POLL_MS = 1_000;
    private static final long MOST_GRACE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final long limitNanos;
    private final long pollMs;
    private final Overdue overdue;
    /** Odd during a call. */
    private final AtomicLong ticks = new AtomicLong();

    private final CountDownLatch closed = new CountDownLatch(1);

    /** This and the following fields belong to the watch thread. */
    private long seen;

    private long sinceNanos;
    private long dueNanos;

    /** Receives reports on the watch thread while the call is still running. */
    public interface Overdue {
        /** Reports a call that has exceeded the limit. */
        void late();

        /** Reports that the call is still running after {@link #late} and another limit, or 30 s if that is shorter. */
        void stuck();
    }

    /** Creates a watch without a thread. */
    CallWatch(Duration limit, Overdue overdue) {
        limitNanos = limit.toNanos();
        pollMs = Math.max(1, Math.min(MOST_POLL_MS, limit.toMillis() / 10));
        this.overdue = overdue;
    }

    /**
     * Creates a watch and starts its thread.
     *
     * @param limit how long a call may take
     */
    public static CallWatch start(Duration limit, Overdue overdue) {
        CallWatch watch = new CallWatch(limit, overdue);
        Thread thread = new Thread(watch::watch, "thalweg-call-watch");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** Marks the start of a call. Earlier writes of this thread are visible to {@link Overdue}. */
    public void begin() {
        ticks.setRelease(ticks.getPlain() + 1);
    }

    /** Marks the end of the call. */
    public void end() {
        ticks.setRelease(ticks.getPlain() + 1);
    }

    private void watch() {
        while (!isClosedWithinPoll()) {
            look(System.nanoTime());
        }
    }

    /** Checks the current call and reports it if it is overdue. */
    void look(long nowNanos) {
        long now = ticks.getAcquire();
        if (now != seen || now % 2 == 0) {
            seen = now;
            sinceNanos = nowNanos;
            dueNanos = limitNanos;
        } else if (nowNanos - sinceNanos > dueNanos) {
            report();
        }
    }

    private void report() {
        if (dueNanos == limitNanos) {
            dueNanos += Math.min(limitNanos, MOST_GRACE_NANOS);
            overdue.late();
        } else {
            dueNanos = Long.MAX_VALUE;
            overdue.stuck();
        }
    }

    private boolean isClosedWithinPoll() {
        try {
            return closed.await(pollMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true; // nothing is expected to interrupt the thread; an interrupt ends it
        }
    }

    /** Stops the watch without waiting for its thread. */
    @Override
    public void close() {
        closed.countDown();
    }
}
