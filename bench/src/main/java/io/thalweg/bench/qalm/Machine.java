package io.thalweg.bench.qalm;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks each second at who uses the processors, so that a run which others disturbed is not taken for what a system does. Linux
 * only; elsewhere it sees nothing.
 *
 * <p><b>Threads.</b> One of its own, until it is closed.
 */
final class Machine implements AutoCloseable {
    private static final Path STAT = Path.of("/proc/stat");
    private static final double TICK_NANOS = 1e7;
    private static final double SECOND = 1e9;

    private final long service;
    private final long load;
    private final int warmUpSeconds;
    private final PrintWriter log;
    private final Thread thread = new Thread(this::watch, "machine");
    private volatile boolean closed;
    private volatile Measured.Disturbance worst = Measured.Disturbance.NONE;

    /** {@code busy}: of all processes; {@code stolen}: what the hypervisor kept. In nanoseconds. */
    private record Whole(double busy, double stolen) {
        static Whole now() {
            try (var lines = Files.lines(STAT)) {
                String[] words = lines.findFirst().orElse("").split("\\s+", -1);
                double[] ticks = new double[words.length];
                for (int i = 1; i < words.length; i++) {
                    ticks[i] = Double.parseDouble(words[i]);
                }
                // cpu, user, nice, system, idle, iowait, irq, softirq, steal
                double busy = ticks[1] + ticks[2] + ticks[3] + ticks[6] + ticks[7];
                return new Whole(busy * TICK_NANOS, ticks[8] * TICK_NANOS);
            } catch (IOException e) {
                return new Whole(0, 0);
            }
        }
    }

    private record Look(
            long nanos, Whole whole, ProcessorTime service, ProcessorTime load, ProcessorTime self, long faults) {}

    private Machine(long service, long load, int warmUpSeconds, PrintWriter log) {
        this.service = service;
        this.load = load;
        this.warmUpSeconds = warmUpSeconds;
        this.log = log;
        thread.setDaemon(true);
    }

    /** Watches beside two processes, by their numbers; {@code log} becomes a table of the seconds, those of the warm-up below zero. */
    static Machine watch(long service, long load, int warmUpSeconds, Path log) throws IOException {
        Machine machine = new Machine(service, load, warmUpSeconds, new PrintWriter(Files.newBufferedWriter(log)));
        if (Files.isReadable(STAT)) {
            machine.thread.start();
        }
        return machine;
    }

    /** Of the seconds after the warm-up so far. */
    Measured.Disturbance worst() {
        return worst;
    }

    private Look look() {
        return new Look(
                System.nanoTime(),
                Whole.now(),
                ProcessorTime.of(service),
                ProcessorTime.of(load),
                ProcessorTime.of(ProcessHandle.current().pid()),
                faults(service) + faults(load));
    }

    /** Pages, of code too, that a process had to read from the disk: it stands still meanwhile. */
    private static long faults(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // The command's name, in parentheses, may hold anything.
            return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ", 11)[9]);
        } catch (IOException e) {
            return 0;
        }
    }

    private void watch() {
        log.println(
                "# cores: used by the service and its compilers, waited for by its threads; the load's; others; stolen;"
                        + " pages that service and load read from the disk");
        log.println(
                "second,service,service_compilers,service_waits,load,load_compilers,load_waits,others,stolen,pages");
        Look before = look();
        for (int second = -warmUpSeconds; ; second++) {
            LockSupport.parkNanos((long) SECOND);
            if (closed) {
                return;
            }
            Look now = look();
            record(second, before, now);
            before = now;
        }
    }

    private void record(int second, Look before, Look now) {
        double past = now.nanos - before.nanos;
        ProcessorTime ofService = now.service.minus(before.service);
        ProcessorTime ofLoad = now.load.minus(before.load);
        if (ofService.used() < 0 || ofLoad.used() < 0) {
            return; // A process that ends takes its time with it.
        }
        long own = ofService.used()
                + ofLoad.used()
                + Math.max(0, now.self.minus(before.self).used());
        double others = Math.max(0, now.whole.busy - before.whole.busy - own) / past;
        double stolen = (now.whole.stolen - before.whole.stolen) / past;
        List<Double> cores = List.of(
                ofService.used() / past,
                ofService.compilers() / past,
                ofService.waited() / past,
                ofLoad.used() / past,
                ofLoad.compilers() / past,
                ofLoad.waited() / past,
                others,
                stolen);
        StringBuilder line = new StringBuilder(Integer.toString(second));
        cores.forEach(each -> line.append(String.format(Locale.ROOT, ",%.3f", each)));
        log.println(line.append(',').append(now.faults - before.faults));
        log.flush();
        if (second >= 0 && others + stolen > worst.cores()) {
            worst = new Measured.Disturbance(others + stolen, second);
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
        log.close();
    }
}
