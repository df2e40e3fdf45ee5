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
 * How long a thread has computed, and how long it had work and no processor. What Flink counts as busy is both, and the time in which
 * the thread waited for something else.
 *
 * <p>Linux counts the second in {@code schedstat} of each thread, in the second of three numbers; elsewhere it is 0.
 *
 * <p><b>Threads.</b> Safe for any.
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

    /** The time of the thread that calls. */
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

    /** Registers the time of the thread that calls, which is the task's: {@code task_cpu_nanos} and {@code task_waited_nanos}. */
    public static void register(MetricGroup operator) {
        ThreadTime time = ofThisThread();
        MetricGroup group = operator.addGroup("thalweg");
        group.<Long, Gauge<Long>>gauge("task_cpu_nanos", time::cpuNanos);
        group.<Long, Gauge<Long>>gauge("task_waited_nanos", time::waitedNanos);
    }

    /** Its processor time; 0 after the thread has ended. */
    public long cpuNanos() {
        return Math.max(0, THREADS.getThreadCpuTime(id));
    }

    /** The time in which it had work and no processor; 0 after the thread has ended, and where it is unknown. */
    public long waitedNanos() {
        try {
            return counts == null ? 0 : Long.parseLong(Files.readString(counts).split(" ", -1)[1]);
        } catch (IOException e) {
            return 0;
        }
    }
}
