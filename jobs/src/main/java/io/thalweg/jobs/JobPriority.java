package io.thalweg.jobs;

/**
 * The priority of a job's threads: below that of the threads that answer reads in the same process. All rows of a window end are
 * computed at once, which takes every processor for a while, and a read must not wait for that.
 *
 * <p>The system sees the priorities of Java's threads only if the JVM is started with {@code -XX:ThreadPriorityPolicy=1}, as the
 * launcher starts {@code run} and {@code demo} on Linux. Elsewhere they have no effect.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class JobPriority {
    private JobPriority() {}

    /** Lowers the priority of the calling thread. */
    public static void take() {
        give(Thread.currentThread());
    }

    /** Lowers the priority of a thread. */
    @SuppressWarnings("ThreadPriorityCheck") // no result depends on it, only who waits for whom
    public static void give(Thread thread) {
        thread.setPriority(Thread.MIN_PRIORITY);
    }
}
