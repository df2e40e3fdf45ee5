package io.thalweg.jobs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long a thread has run on a processor, and how long it was runnable without one. Flink's busy time covers both, and the
 * time in which the thread was blocked.
 *
 * <p>Linux reports the run-queue wait as the second of three numbers in {@code schedstat} of each thread; on other systems it is 0.
 *
 * <p><b>Threads.</b> Thread-safe.
 */
public final class ThreadTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Path OWN = Path.of("/proc/thread-self");

    private final long id;
    private final @Nullable Path counts;

    private ThreadTime(long id, @Nullable Path counts) {
        this.id = id;
        this.counts = counts;
    }

    /** Returns the time of the calling thread. */
    public static ThreadTime ofThisThread() {
        return new ThreadTime(Thread.currentThread().getId(), ownCounts());
    }

    private static @Nullable Path ownCounts() {
        try {
            return OWN.toRealPath().resolve("schedstat");
        } catch (IOException e) {
            return null; // another operating system
        }
    }

    /** Registers {@code task_cpu_nanos} and {@code task_waited_nanos} of the calling thread, which must be the task's. */
    public static void register(MetricGroup operator) {
        ThreadTime time = ofThisThread();
        MetricGroup group = operator.addGroup("thalweg");
        group.<Long, Gauge<Long>>gauge("task_cpu_nanos", time::cpuNanos);
        group.<Long, Gauge<Long>>gauge("task_waited_nanos", time::waitedNanos);
    }

    /** Returns the thread's processor time; 0 after the thread has ended. */
    public long cpuNanos() {
        return Math.max(0, THREADS.getThreadCpuTime(id));
    }

    /** Returns how long the thread was runnable without a processor; 0 after the thread has ended, or if it is unknown. */
    public long waitedNanos() {
        try {
            return counts == null ? 0 : Long.parseLong(Files.readString(counts).split(" ", -1)[1]);
        } catch (IOException e) {
            return 0;
        }
    }
}
