package io.thalweg.runner;

import com.sun.management.OperatingSystemMXBean;
import io.thalweg.jobs.embedded.EmbeddedJob;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * Measures this process from the first work of a job to its last.
 *
 * <p><b>Threads.</b> One.
 */
final class TrialMeter {
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private Mark before = now();
    private @Nullable Mark first;
    private Mark last = before;
    private long work;
    private long checkpoints;
    private long checkpointAtMs;
    private long checkpointMs;

    /** The resources that the process has used so far. */
    private record Mark(long nanos, long cpuNanos, long gcMs) {}

    private Mark now() {
        long gcMs = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            gcMs += Math.max(0, collector.getCollectionTime());
        }
        return new Mark(System.nanoTime(), system.getProcessCpuTime(), gcMs);
    }

    /** Records the progress so far, as a number that grows with any work. */
    void look(long done) {
        Mark now = now();
        if (done > work) {
            if (first == null) {
                first = before; // the state before the first work
            }
            work = done;
            last = now;
        }
        before = now;
    }

    /** Extends the work until now, for a job that writes at its end. */
    void end() {
        last = now();
    }

    /** The time since the last progress. */
    long quietNanos() {
        return System.nanoTime() - last.nanos();
    }

    /** How long the work has taken so far. */
    long workNanos() {
        return first == null ? 0 : last.nanos() - first.nanos();
    }

    /** Records the newest checkpoint if it was taken during the work. */
    void look(EmbeddedJob.Checkpoints now) {
        if (first != null && now.lastCompletedMs() > checkpointAtMs) {
            checkpointAtMs = now.lastCompletedMs();
            checkpointMs = Math.max(checkpointMs, now.lastDurationMs());
        }
        checkpoints = now.completed();
    }

    TrialResult result(long events, long rows) {
        Mark begin = first == null ? before : first;
        return new TrialResult(
                events,
                rows,
                Math.max(1e-3, (last.nanos() - begin.nanos()) / 1e9),
                (last.cpuNanos() - begin.cpuNanos()) / 1e9,
                (last.gcMs() - begin.gcMs()) / 1e3,
                checkpoints,
                checkpointMs);
    }
}
