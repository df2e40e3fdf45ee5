package io.thalweg.bench.harness;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What work costs the process that does it.
 *
 * <p><b>Threads.</b> One at a time measures; the work may have as many as it likes.
 */
public final class Meter {
    /** In a warm-up, of the time that a pass takes, what the compilers may still take at its end. */
    private static final double COMPILING_SHARE = 0.1;

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final long SELF = ProcessHandle.current().pid();
    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final HeapWatch heap = HeapWatch.start();

    /** What is measured. */
    public interface Work {
        /** Does it. */
        void run() throws Exception;
    }

    /**
     * What it took.
     *
     * @param seconds by the clock
     * @param cpuSeconds user and system time of all threads
     * @param compilersCpuSeconds of these, the compilers'; 0 where the system does not tell
     * @param compilingSeconds by the clock
     * @param collectingSeconds pauses of the collector
     * @param allocatedBytes that all threads have put on the heap
     */
    public record Cost(
            double seconds,
            double cpuSeconds,
            double compilersCpuSeconds,
            double compilingSeconds,
            double collectingSeconds,
            long allocatedBytes) {
        /** Whether next to nothing was compiled any more, as in a job that runs for days. */
        public boolean isCompiled() {
            return compilingSeconds <= COMPILING_SHARE * seconds;
        }
    }

    /** Does some work, and measures it. */
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

    /** User and system time of another process so far; 0 without it. */
    public static double cpuSeconds(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .map(time -> time.toNanos() / 1e9)
                .orElse(0.0);
    }

    /** Memory that a process has now; 0 where the system does not tell. */
    public static long residentBytes(long pid) throws IOException {
        return status(pid, "VmRSS:");
    }

    /** The most memory that this process has had; 0 where the system does not tell. */
    public static long residentPeakBytes() throws IOException {
        return status(ProcessHandle.current().pid(), "VmHWM:");
    }

    private static long status(long pid, String name) throws IOException {
        Path status = Path.of("/proc", String.valueOf(pid), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                .findAny()
                .orElse(0);
    }
}
