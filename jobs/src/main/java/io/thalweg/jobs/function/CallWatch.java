package io.thalweg.jobs.function;

import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Notices calls that do not return.
 *
 * <p><b>Cost.</b> Two ordered writes per call; the time is read by the watch only. A call is measured from the first look at it, so it
 * is reported up to a tenth of the limit (at most a second) late.
 *
 * <p><b>Threads.</b> One calls. A daemon thread watches, and ends with {@link #close}.
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

    /** All below is of the watching thread. */
    private long seen;

    private long sinceNanos;
    private long dueNanos;

    /** Takes what is noticed, on the thread of the watch, while the call goes on. */
    public interface Overdue {
        /** A call has taken longer than the limit. */
        void late();

        /** It has not returned within the limit, or 30 s if that is shorter, after {@link #late} either. */
        void stuck();
    }

    /** Prepares to look. */
    CallWatch(Duration limit, Overdue overdue) {
        limitNanos = limit.toNanos();
        pollMs = Math.max(1, Math.min(MOST_POLL_MS, limit.toMillis() / 10));
        this.overdue = overdue;
    }

    /**
     * Starts to watch.
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

    /** A call begins. What the thread has written before is visible to {@link Overdue}. */
    public void begin() {
        ticks.setRelease(ticks.getPlain() + 1);
    }

    /** The call has ended. */
    public void end() {
        ticks.setRelease(ticks.getPlain() + 1);
    }

    private void watch() {
        while (!isClosedWithinPoll()) {
            look(System.nanoTime());
        }
    }

    /** Looks at the call, and reports it if it is overdue. */
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
            return true; // nothing interrupts it; if something did, it would have to end
        }
    }

    /** Ends the watch; does not wait for it. */
    @Override
    public void close() {
        closed.countDown();
    }
}
