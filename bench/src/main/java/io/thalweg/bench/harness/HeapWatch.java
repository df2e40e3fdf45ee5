package io.thalweg.bench.harness;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the heap of this process, by how full it was before and after each collection.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class HeapWatch {
    private static final Set<String> HEAP = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());

    private long allocated;
    private long last = used();
    private long most;

    private HeapWatch() {}

    /** Starts to watch. */
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
