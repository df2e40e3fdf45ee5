package io.thalweg.bench.advertising;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.jspecify.annotations.Nullable;

/**
 * What the heap holds: after a full collection, and at most after any, garbage of the old generation included.
 *
 * <p><b>Threads.</b> Safe.
 */
final class HeapWatch {
    private final Set<String> pools = new HashSet<>();
    private final AtomicLong most = new AtomicLong();

    HeapWatch() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                pools.add(pool.getName());
            }
        }
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector).addNotificationListener(this::collected, null, null);
        }
    }

    private void collected(Notification notification, @Nullable Object unused) {
        if (!notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            return;
        }
        long used = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                .getGcInfo()
                .getMemoryUsageAfterGc()
                .entrySet()
                .stream()
                .filter(pool -> pools.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
        most.accumulateAndGet(used, Math::max);
    }

    /** Bytes in use after a full collection; the watch for the maximum starts over. */
    @SuppressWarnings("SystemGc") // what is left is the question
    long collect() {
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        most.set(used);
        return used;
    }

    /** The most bytes in use after any collection since {@link #collect}. */
    long mostBytes() {
        return most.get();
    }
}
