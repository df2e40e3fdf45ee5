package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.ProcessorTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Samples every second which processes use the processors, so that disturbance by others is not attributed to a system. Linux
 * only; elsewhere it reports nothing.
 *
 * <p><b>Threads.</b> A thread of its own, until it is closed.
 */
final class Machine implements AutoCloseable {
    private static final Path STAT = Path.of("/proc/stat");
    private static final double TICK_NANOS = 1e7;

    private final List<Long> own;
    private final BooleanSupplier counts;
    private final ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor();
    private Look before;
    private boolean counted;
    private volatile double worst;

    /**
     * A sample in nanoseconds. {@code all} is the time of all processes and the time that the hypervisor withheld; {@code own} is
     * that of the run's processes.
     */
    private record Look(long nanos, double all, long own) {}

    /**
     * Watches while {@code counts} is true.
     *
     * @param own processes of the run, by their ids
     */
    Machine(List<Long> own, BooleanSupplier counts) {
        this.own = own;
        this.counts = counts;
        before = look();
        counted = counts.getAsBoolean();
        if (Files.isReadable(STAT)) {
            var unused = looks.scheduleAtFixedRate(this::compare, 1, 1, TimeUnit.SECONDS);
        }
    }

    /** The most cores in any second so far that other processes used, or the hypervisor gave to other machines. */
    double othersCoresMax() {
        return worst;
    }

    private Look look() {
        return new Look(
                System.nanoTime(),
                all(),
                own.stream().mapToLong(pid -> ProcessorTime.of(pid).used()).sum());
    }

    private static double all() {
        try (var lines = Files.lines(STAT)) {
            String[] words = lines.findFirst().orElse("").split("\\s+", -1);
            double ticks = 0;
            // cpu, user, nice, system, idle, iowait, irq, softirq, steal
            for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
                ticks += Double.parseDouble(words[i]);
            }
            return ticks * TICK_NANOS;
        } catch (IOException e) {
            return 0;
        }
    }

    private void compare() {
        Look now = look();
        long ours = now.own - before.own;
        // The time of a process that ends is lost with it.
        if (ours >= 0 && counted) {
            worst = Math.max(worst, (now.all - before.all - ours) / (now.nanos - before.nanos));
        }
        before = now;
        counted = counts.getAsBoolean();
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
