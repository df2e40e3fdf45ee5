package io.thalweg.jobs;

import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;

/**
 * Sets the priority of a job's threads below that of the threads that serve reads in the same process. All rows of a window end are
 * computed at once, which occupies every processor for a while, and reads must not wait for that.
 *
 * <p>The operating system sees the priorities of Java threads only if the JVM is started with {@code -XX:ThreadPriorityPolicy=1}, which
 * the launcher does for {@code run} and {@code demo} on Linux. Otherwise they have no effect.
 *
 * <p><b>Threads.</b> Thread-safe.
 */
public final class JobPriority {
    private JobPriority() {}

    /** Lowers the priority of the calling thread. */
    public static void take() {
        give(Thread.currentThread());
    }

    /** Wraps the asynchronous part of a snapshot so that it lowers the priority of the thread that runs it. */
    public static <T> RunnableFuture<T> taking(RunnableFuture<T> snapshot) {
        return new FutureTask<>(() -> {
            take();
            snapshot.run();
            return snapshot.get();
        }) {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                // If the state has been written, Flink gets it from this future to delete it.
                return snapshot.cancel(mayInterruptIfRunning) && super.cancel(mayInterruptIfRunning);
            }
        };
    }

    /** Lowers the priority of a thread. */
    @SuppressWarnings("ThreadPriorityCheck") // affects scheduling only, not results
    public static void give(Thread thread) {
        thread.setPriority(Thread.MIN_PRIORITY);
    }
}
