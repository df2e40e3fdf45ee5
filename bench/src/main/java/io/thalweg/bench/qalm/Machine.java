package io.thalweg.bench.qalm;

import io.thalweg.bench.harness.ProcessorTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Looks each second at who uses the processors, so that a run which others disturbed is not taken for what a system does. Linux
 * only; elsewhere it sees nothing.
 *
 * <p><b>Threads.</b> One of its own, until it is closed.
 */
final class Machine implements AutoCloseable {
    private static final Path STAT = Path.of("/proc/stat");
    private static final double TICK_NANOS = 1e7;
    private static final long SECOND_NANOS = 1_000_000_000;

    private final List<Long> own;
    private final BooleanSupplier counts;
    private final Thread thread = new Thread(this::watch, "machine");
    private volatile boolean closed;
    private volatile double worst;

    /** {@code all}: of all processes, and what the hypervisor kept; {@code own}: of those that belong to the run. In nanoseconds. */
    private record Look(long nanos, double all, long own) {}

    private Machine(List<Long> own, BooleanSupplier counts) {
        this.own = own;
        this.counts = counts;
        thread.setDaemon(true);
    }

    /**
     * Watches while {@code counts} is true.
     *
     * @param own processes of the run, by their numbers
     */
    static Machine watch(List<Long> own, BooleanSupplier counts) {
        Machine machine = new Machine(own, counts);
        if (Files.isReadable(STAT)) {
            machine.thread.start();
        }
        return machine;
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

    private void watch() {
        Look before = look();
        while (!closed) {
            boolean counted = counts.getAsBoolean();
            LockSupport.parkNanos(SECOND_NANOS);
            Look now = look();
            long ours = now.own - before.own;
            double cores = (now.all - before.all - ours) / (now.nanos - before.nanos);
            // A process that ends takes its time with it.
            if (!closed && ours >= 0 && counted) {
                worst = Math.max(worst, cores);
            }
            before = now;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
