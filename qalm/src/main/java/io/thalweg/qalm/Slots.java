package io.thalweg.qalm;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The slots that all lanes share: how many calls the process works on at a time.
 *
 * <p>Each lane occupies {@code max(inflight, reserve)} slots, so a reserve is never lent and everything beyond the reserves is
 * there for whoever comes first. What is free may fall below zero while reserves grow; then nothing can be borrowed.
 *
 * <p><b>Threads.</b> Safe.
 */
final class Slots {
    private final int total;
    private final AtomicInteger free;
    /** Lanes with a queue that found nothing to borrow. */
    private final Queue<Lane> hungry = new ConcurrentLinkedQueue<>();

    Slots(int total) {
        this.total = total;
        this.free = new AtomicInteger(total);
    }

    /** Half of the slots: the reserves of other lanes may take up the other half, and a call must not wait for what never comes. */
    int weightMax() {
        return Math.max(1, total / 2);
    }

    /** Takes so many, or none. */
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

    void hungry(Lane lane) {
        hungry.add(lane);
    }

    /**
     * Who gets the next free slot: the lane that holds the fewest, so that the shares even out whatever the calls take; null if
     * nobody waits for one.
     */
    @Nullable
    Lane nextHungry() {
        while (true) {
            Lane poorest = null;
            for (Lane lane : hungry) {
                if (poorest == null || lane.inflight() < poorest.inflight()) {
                    poorest = lane;
                }
            }
            if (poorest == null || hungry.remove(poorest)) {
                return poorest;
            }
        }
    }
}
