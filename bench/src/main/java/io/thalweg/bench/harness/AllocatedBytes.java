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
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * Bytes that all threads of this process have put on the heap, by how full it was before and after each collection.
 *
 * <p><b>Threads.</b> Safe.
 */
final class AllocatedBytes {
    private static final Set<String> HEAP = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());

    private long allocated;
    private long last = used();

    /** Starts to count. */
    static AllocatedBytes start() {
        AllocatedBytes bytes = new AllocatedBytes();
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, unused) -> bytes.collected(
                                    GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                                            .getGcInfo()),
                            notification -> notification
                                    .getType()
                                    .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
                            null);
        }
        return bytes;
    }

    private synchronized void collected(GcInfo collection) {
        allocated += used(collection.getMemoryUsageBeforeGc()) - last;
        last = used(collection.getMemoryUsageAfterGc());
    }

    /** Allocated since the start. */
    synchronized long now() {
        return allocated + used() - last;
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
