package io.thalweg.bench.harness;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/**
 * Measures the cost of work to the process that does it.
 *
 * <p><b>Threads.</b> One thread at a time measures; the work may use any number.
 */
public final class Meter {
    /** The share of a pass's time that the compilers may still take at the end of a warm-up. */
    private static final double COMPILING_SHARE = 0.1;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final long SELF = ProcessHandle.current().pid();
    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final HeapWatch heap = HeapWatch.start();

    /** The work that is measured. */
    public interface Work {
        /** Does the work. */
        void run() throws Exception;
    }

    /**
     * The cost of work.
     *
     * @param seconds of wall time
     * @param cpuSeconds user and system time of all threads
     * @param compilersCpuSeconds of these, the compilers'; 0 if the system does not report it
     * @param compilingSeconds of wall time
     * @param collectingSeconds pauses of the collector
     * @param allocatedBytes of all threads
     */
    public record Cost(
            double seconds,
            double cpuSeconds,
            double compilersCpuSeconds,
            double compilingSeconds,
            double collectingSeconds,
            long allocatedBytes) {
        /** Whether almost nothing was compiled any more. */
        boolean isCompiled() {
            return compilingSeconds <= COMPILING_SHARE * seconds;
        }
    }

    /** Work that is repeated, and its cost; passes are numbered from 0. */
    public interface Pass {
        /** Does the work once. */
        Cost run(int number) throws Exception;
    }

    /**
     * Repeats a pass until almost nothing is compiled any more, as in a job that runs for days. Runs at least twice, or once if
     * no time is given.
     *
     * @param seconds after which no pass begins
     * @return the cost of the last pass
     */
    public static Cost warmUp(double seconds, Pass pass) throws Exception {
        int least = seconds > 0 ? 2 : 1;
        double left = seconds;
        for (int number = 0; ; number++) {
            Cost cost = pass.run(number);
            left -= cost.seconds();
            Messages.progress("warm-up %d: %.1f s, compilers %.1f s"
                    .formatted(number + 1, cost.seconds(), cost.compilingSeconds()));
            if (number + 1 >= least && (left <= 0 || cost.isCompiled())) {
                return cost;
            }
        }
    }

    public Cost measure(Work work) throws Exception {
        double cpu = cpuSeconds();
        ProcessorTime compilers = ProcessorTime.of(SELF);
        long compilingMs = COMPILERS.getTotalCompilationTime();
        long collectingMs = collectingMs();
        long allocated = heap.allocatedBytes();
        long begun = System.nanoTime();
        work.run();
        return new Cost(
                (System.nanoTime() - begun) / 1e9,
                cpuSeconds() - cpu,
                ProcessorTime.of(SELF).minus(compilers).compilers() / 1e9,
                (COMPILERS.getTotalCompilationTime() - compilingMs) / 1e3,
                (collectingMs() - collectingMs) / 1e3,
                heap.allocatedBytes() - allocated);
    }

    /** User and system time of this process so far. */
    public static double cpuSeconds() {
        return SYSTEM.getProcessCpuTime() / 1e9;
    }

    private static long collectingMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** User and system time of another process so far; 0 if it does not exist. */
    public static double cpuSeconds(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(time -> time.toNanos() / 1e9)
                .orElse(0.0);
    }

    /** The memory that a process uses now; 0 if the system does not report it. */
    public static long residentBytes(long pid) throws IOException {
        return status(pid, "VmRSS:");
    }

    /** The most memory that this process has used; 0 if the system does not report it. */
    public static long residentPeakBytes() {
        return residentPeakBytes(ProcessHandle.current().pid());
    }

    /** The most memory that a process has used; 0 if it has ended, or the system does not report it. */
    static long residentPeakBytes(long pid) {
        try {
            return status(pid, "VmHWM:");
        } catch (IOException e) {
            return 0;
        }
    }

    /** Memory of the machine, or of the container that this process runs in. */
    public static long totalBytes() {
        return SYSTEM.getTotalMemorySize();
    }

    /** The memory that the system can allocate without swapping; 0 if it does not report it. */
    public static long availableBytes() throws IOException {
        return bytes(Path.of("/proc/meminfo"), "MemAvailable:");
    }

    private static long status(long pid, String name) throws IOException {
        return bytes(Path.of("/proc", String.valueOf(pid), "status"), name);
    }

    private static long bytes(Path file, String name) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                .findAny()
                .orElse(0);
    }

    /**
     * The contents of the heap of this process, by how full it was before and after each collection.
     *
     * <p><b>Threads.</b> Safe.
     */
    public static final class HeapWatch {
        private static final Set<String> HEAP = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getName)
                .collect(Collectors.toSet());

        private long allocated;
        private long last = used();
        private long most;

        private HeapWatch() {}

        public static HeapWatch start() {
            HeapWatch watch = new HeapWatch();
            for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
                ((NotificationEmitter) collector).addNotificationListener(watch::collected, null, null);
            }
            return watch;
        }

        private void collected(Notification notification, @Nullable Object unused) {
            if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
                note(GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                        .getGcInfo());
            }
        }

        private synchronized void note(GcInfo collection) {
            allocated += used(collection.getMemoryUsageBeforeGc()) - last;
            last = used(collection.getMemoryUsageAfterGc());
            most = Math.max(most, last);
        }

        /** The bytes that all threads have allocated since the start. */
        public synchronized long allocatedBytes() {
            return allocated + used() - last;
        }

        /** Runs a full collection and returns the bytes in use after it; the maximum starts over. */
        @SuppressWarnings("SystemGc") // the purpose is to measure what is left
        public long collect() {
            System.gc();
            long used = used();
            synchronized (this) {
                most = used;
            }
            return used;
        }

        /** The most bytes in use after any collection since {@link #collect}, including garbage of the old generation. */
        public synchronized long mostBytes() {
            return most;
        }

        private static long used(Map<String, MemoryUsage> pools) {
            return pools.entrySet().stream()
                    .filter(pool -> HEAP.contains(pool.getKey()))
                    .mapToLong(pool -> pool.getValue().getUsed())
                    .sum();
        }

        private static long used() {
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        }
    }
}
