package io.thalweg.jobs;

import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;

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

    /** The asynchronous part of a snapshot, which lowers the priority of the thread that runs it. */
    public static <T> RunnableFuture<T> taking(RunnableFuture<T> snapshot) {
        return new FutureTask<>(() -> {
            take();
            snapshot.run();
            return snapshot.get();
        }) {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                // If the state is written already, Flink takes it from here to delete it.
                return snapshot.cancel(mayInterruptIfRunning) && super.cancel(mayInterruptIfRunning);
            }
        };
    }

    /** Lowers the priority of a thread. */
    @SuppressWarnings("ThreadPriorityCheck") // no result depends on it, only who waits for whom
    public static void give(Thread thread) {
        thread.setPriority(Thread.MIN_PRIORITY);
    }
}
