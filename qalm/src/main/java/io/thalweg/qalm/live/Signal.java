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
 * Signs of overload of the process that no queue shows, for {@link LiveQalm#watch}. Each is a pressure from 0 to 1; from 0.6 on level 3 is
 * refused, from 0.8 on level 2, of all lanes; levels 0 and 1 never.
 */
public enum Signal {
    /** Heap that a collection could not free: 0.6 at 85 % of the most it may have, 1 at 97 %. For 10 s after each collection of it. */
    HEAP,
    /** Time that the process stood still for collections, of the last second: 0.6 at 20 %, 1 at 50 %. */
    COLLECTIONS,
    /**
     * How late threads get a processor, on average of a second or so: 0.6 at 20 ms, 1 at 100 ms. For services that work on a pool
     * without a bound, whose queue is the operating system's; not on machines that are always short of time.
     */
    LATENESS,
    /**
     * Processor time of this process, of all that the machine or the container has: 0.6 at 95 %, 1 at 100 %. A processor that is
     * busy is no harm by itself: only where calls must not be slowed down.
     */
    CPU;

    private static final long SAMPLE_NANOS = 250_000_000;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long FRESH_NANOS = 10 * SECOND_NANOS;
    private static final double BEGINS = 0.6;

    /** What metrics call it. */
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

    /** 0.6 where {@code value} is {@code begins}, 1 where it is {@code full}; straight in between and below. */
    static double scaled(double value, double begins, double full) {
        double pressure =
                value < begins ? BEGINS * value / begins : BEGINS + (1 - BEGINS) * (value - begins) / (full - begins);
        return Math.max(0, Math.min(1, pressure));
    }

    /** Asks no more often than that: lanes ask a hundred times a second. */
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

    /** What was left is known from the last collection only. If none follows, nobody is short of memory any more. */
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

    /** The part of the time since it was last asked. */
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

    /** Of collectors that stop the process; the others' beans count work that goes on beside it. */
    private static long collectionMillis() {
        List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
        long millis = 0;
        for (GarbageCollectorMXBean bean : beans) {
            boolean beside =
                    bean.getName().contains("Concurrent") || bean.getName().contains("Cycles");
            millis += beside ? 0 : Math.max(0, bean.getCollectionTime());
        }
        return millis;
    }

    private static double cpuShare() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuLoad()
                : 0;
    }
}
