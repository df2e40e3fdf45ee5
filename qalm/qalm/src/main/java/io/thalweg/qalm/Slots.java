package io.thalweg.qalm;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The slots that all lanes share. They bound the number of calls in flight in the process.
 *
 * <p>Each lane occupies {@code max(inflight, reserve)} slots: a reserve is never lent, and slots beyond the reserves go to the first
 * lane that takes them. The number of free slots may fall below zero while reserves grow; then no lane can borrow.
 *
 * <p><b>Threads.</b> Safe.
 */
final class Slots {
    private final int total;
    private final AtomicInteger free;
    /** Lanes with a queue that found no slot to borrow. */
    private final Queue<Lane> waiting = new ConcurrentLinkedQueue<>();

    Slots(int total) {
        this.total = total;
        this.free = new AtomicInteger(total);
    }

    /** The maximum weight of a call: half of the slots. Reserves may hold the other half, so a heavier call could wait forever. */
    int weightMax() {
        return Math.max(1, total / 2);
    }

    /** Takes all of {@code count} slots or none. */
    boolean take(int count) {
        while (true) {
            int now = free.get();
            if (now < count) {
                return false;
            }
            if (free.compareAndSet(now, now - count)) {
                return true;
            }
        }
    }

    /** Adds {@code count} free slots, or takes them away if it is negative. */
    void give(int count) {
        free.addAndGet(count);
    }

    int free() {
        return free.get();
    }

    /** Registers a lane that waits for a free slot. */
    void await(Lane lane) {
        waiting.add(lane);
    }

    /**
     * Removes and returns the waiting lane with the fewest calls in flight, which equalizes the shares regardless of service
     * times; null if none waits.
     */
    @Nullable
    Lane nextWaiting() {
        while (true) {
            Lane fewest = null;
            for (Lane lane : waiting) {
                if (fewest == null || lane.inflight() < fewest.inflight()) {
                    fewest = lane;
                }
            }
            if (fewest == null || waiting.remove(fewest)) {
                return fewest;
            }
        }
    }
}
