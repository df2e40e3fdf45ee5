package io.thalweg.qalm.live;

import com.sun.management.OperatingSystemMXBean;
import io.thalweg.qalm.Qalm;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Signals of overload of the process that do not show in a queue, for {@link LiveQalm#watch}. Each is a pressure from 0 to 1.
 * Above 0.6 all lanes refuse calls of level 3, above 0.8 of level 2; a signal never causes calls of levels 0 and 1 to be refused.
 */
public enum Signal {
    /** Heap in use after a collection: 0.6 at 85 % of the maximum, 1 at 97 %. Holds for 10 s after each collection. */
    HEAP,
    /** The share of the last second in which collections stopped the process: 0.6 at 20 %, 1 at 50 %. */
    COLLECTIONS,
    /**
     * How long threads wait for a processor, a mean over about a second: 0.6 at 20 ms, 1 at 100 ms. Meant for services with an
     * unbounded pool, whose queue is the run queue of the operating system. Not suited to machines whose processors are always busy.
     */
    LATENESS,
    /**
     * Processor time of this process as a share of that of the machine or the container: 0.6 at 95 %, 1 at 100 %. A busy processor
     * alone is not an overload, so use it only where calls must not become slower.
     */
    CPU;

    private static final long SAMPLE_NANOS = 250_000_000;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long FRESH_NANOS = 10 * SECOND_NANOS;
    private static final double BEGINS = 0.6;

    /** The name in metrics. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The pressure of this process, for {@code qalm}. */
    DoubleSupplier of(Qalm qalm, LongSupplier nanoTime) {
        return switch (this) {
            case HEAP -> sampled(SAMPLE_NANOS, nanoTime, heap(Signal::heapShare, nanoTime));
            case COLLECTIONS -> sampled(SECOND_NANOS, nanoTime, collections(Signal::collectionMillis, nanoTime));
            case LATENESS -> () -> scaled(qalm.latenessNanos(), 20e6, 100e6);
            case CPU -> sampled(SECOND_NANOS, nanoTime, () -> scaled(cpuShare(), 0.95, 1));
        };
    }

    /** Maps {@code begins} to a pressure of 0.6 and {@code full} to 1, linearly between and below. */
    static double scaled(double value, double begins, double full) {
        double pressure =
                value < begins ? BEGINS * value / begins : BEGINS + (1 - BEGINS) * (value - begins) / (full - begins);
        return Math.max(0, Math.min(1, pressure));
    }

    /** Calls {@code costly} at most once per period, because lanes read a signal up to a hundred times a second. */
    static DoubleSupplier sampled(long everyNanos, LongSupplier nanoTime, DoubleSupplier costly) {
        return new DoubleSupplier() {
            private long nextNanos = nanoTime.getAsLong();
            private double last;

            @Override
            public double getAsDouble() {
                long now = nanoTime.getAsLong();
                if (now - nextNanos >= 0) {
                    last = costly.getAsDouble();
                    nextNanos = now + everyNanos;
                }
                return last;
            }
        };
    }

    /** The heap in use is known only from the last collection. If no other collection follows, memory is no longer short. */
    static DoubleSupplier heap(DoubleSupplier shareAfterCollection, LongSupplier nanoTime) {
        return new DoubleSupplier() {
            private double share = shareAfterCollection.getAsDouble();
            private long changedNanos = nanoTime.getAsLong() - FRESH_NANOS;

            @Override
            public double getAsDouble() {
                long now = nanoTime.getAsLong();
                double current = shareAfterCollection.getAsDouble();
                if (current != share) {
                    share = current;
                    changedNanos = now;
                }
                return now - changedNanos < FRESH_NANOS ? scaled(share, 0.85, 0.97) : 0;
            }
        };
    }

    /** The pressure of the share of time spent in collections since the last invocation. */
    static DoubleSupplier collections(LongSupplier millis, LongSupplier nanoTime) {
        return new DoubleSupplier() {
            private long millisBefore = millis.getAsLong();
            private long nanosBefore = nanoTime.getAsLong();

            @Override
            public double getAsDouble() {
                long now = nanoTime.getAsLong();
                long past = now - nanosBefore;
                if (past <= 0) {
                    return 0;
                }
                long total = millis.getAsLong();
                double share = (total - millisBefore) * 1e6 / past;
                millisBefore = total;
                nanosBefore = now;
                return scaled(share, 0.2, 0.5);
            }
        };
    }

    private static double heapShare() {
        long used = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage after = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
            used += after == null ? 0 : after.getUsed();
        }
        return (double) used / Runtime.getRuntime().maxMemory();
    }

    /** The time spent by collectors that stop the process; concurrent ones are not counted. */
    private static long collectionMillis() {
        List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
        long millis = 0;
        for (GarbageCollectorMXBean bean : beans) {
            boolean concurrent =
                    bean.getName().contains("Concurrent") || bean.getName().contains("Cycles");
            millis += concurrent ? 0 : Math.max(0, bean.getCollectionTime());
        }
        return millis;
    }

    private static double cpuShare() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuLoad()
                : 0;
    }
}
