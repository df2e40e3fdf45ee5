package io.thalweg.bench.ingest;

import com.sun.management.OperatingSystemMXBean;
import io.thalweg.bench.advertising.ContestantOutput;
import io.thalweg.bench.demand.Folders;
import io.thalweg.bench.flame.Profiler;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The process of one system that writes rides to tables: a small input until it is compiled, then the one that is measured, and that
 * one again under a profiler if its stages are asked for.
 */
public final class IngestContestant {
    /** In a warm-up, of the time that a pass takes, what the compilers may still take at its end. */
    private static final double COMPILING_SHARE = 0.1;

    /** What it says when it is compiled and begins to follow the topic. */
    public static final String FOLLOWING = "follows the topic";

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private final IngestOrder order;
    private final Ingester system;
    private final AllocatedBytes allocations = AllocatedBytes.start();

    private IngestContestant(IngestOrder order) {
        this.order = order;
        system = Ingester.of(order);
    }

    /** What one pass took. */
    private record Pass(
            double cpuSeconds,
            double compilersCpuSeconds,
            double compilingSeconds,
            double collectingSeconds,
            double seconds,
            long allocatedBytes) {}

    /** The arguments are those of an {@link IngestOrder}. */
    public static void main(String[] args) throws Exception {
        IngestContestant contestant = new IngestContestant(IngestOrder.of(args));
        Pass small = contestant.warmUp();
        Pass pass = contestant.measured();
        ContestantOutput found = new ContestantOutput();
        found.put("cpu_seconds", pass.cpuSeconds());
        found.put("seconds", pass.seconds());
        found.put("small_cpu_seconds", small.cpuSeconds());
        found.put("compilers_cpu_seconds", pass.compilersCpuSeconds());
        found.put("compiling_seconds", pass.compilingSeconds());
        found.put("collecting_seconds", pass.collectingSeconds());
        found.put("allocated_bytes", pass.allocatedBytes());
        contestant.system.figures().forEach((name, figure) -> found.put(name, figure.doubleValue()));
        if (contestant.order.stages()) {
            contestant.stages().forEach((stage, share) -> found.put(stage + "_share", share));
        }
        found.result("");
        System.exit(0);
    }

    /** At least two passes, until next to nothing is compiled any more: a job that runs for days is. Returns the last one. */
    private Pass warmUp() throws Exception {
        double left = order.warmUpSeconds();
        int passes = 0;
        Pass pass;
        do {
            Path output = order.folder().resolve("warm-up-" + passes);
            pass = pass(order.warmUp(), output);
            deleteIfThere(output);
            passes++;
            left -= pass.seconds();
            ContestantOutput.progress(
                    "warm-up %d: %.1f s, compilers %.1f s".formatted(passes, pass.seconds(), pass.compilingSeconds()));
        } while (passes < 2 || (left > 0 && pass.compilingSeconds() > COMPILING_SHARE * pass.seconds()));
        return pass;
    }

    private Pass measured() throws Exception {
        if (order.follow() == 0) {
            return pass(order.input(), order.output());
        }
        ContestantOutput.progress(FOLLOWING);
        return timed(() -> system.follow(order.input(), order.follow(), order.output()));
    }

    private Pass pass(String input, Path output) throws Exception {
        return timed(() -> system.ingest(input, output));
    }

    /** What is measured. */
    private interface Work {
        void run() throws Exception;
    }

    private Pass timed(Work work) throws Exception {
        long cpu = SYSTEM.getProcessCpuTime();
        double compilersCpu = CompilerTime.seconds();
        long compilingMs = COMPILERS.getTotalCompilationTime();
        long collectingMs = collectingMs();
        long allocated = allocations.now();
        long begun = System.nanoTime();
        work.run();
        return new Pass(
                (SYSTEM.getProcessCpuTime() - cpu) / 1e9,
                CompilerTime.seconds() - compilersCpu,
                (COMPILERS.getTotalCompilationTime() - compilingMs) / 1e3,
                (collectingMs() - collectingMs) / 1e3,
                (System.nanoTime() - begun) / 1e9,
                allocations.now() - allocated);
    }

    private static long collectingMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Shares of the processor time of one more pass. */
    private Map<String, Double> stages() throws Exception {
        Path agent = Files.createDirectory(order.folder().resolve("profiler"));
        Path output = order.folder().resolve(RideWarehouse.PROFILED);
        Profiler profiler = Profiler.start(ProcessHandle.current().pid(), agent);
        try {
            system.ingest(order.input(), output);
        } finally {
            deleteIfThere(output);
        }
        return StageShares.of(profiler.stop());
    }

    private static void deleteIfThere(Path output) throws IOException {
        if (Files.exists(output)) {
            Folders.delete(output);
        }
    }
}
