package io.thalweg.qalm;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls of one lane in flight, by weight, and the slots that the lane reserves.
 *
 * <p>Both numbers share one word, so that each update atomically determines the change of {@code max(inflight, reserve)}, the
 * number of {@link Slots} that the lane occupies.
 *
 * <p><b>Threads.</b> Safe, without locks.
 */
final class Occupancy {
    private final Slots slots;
    /** The reserve in the upper half, the calls in flight in the lower. */
    private final AtomicLong state = new AtomicLong();

    Occupancy(Slots slots) {
        this.slots = slots;
    }

    private static int inflight(long state) {
        return (int) state;
    }

    private static int reserve(long state) {
        return (int) (state >>> 32);
    }

    int inflight() {
        return inflight(state.get());
    }

    int reserved() {
        return reserve(state.get());
    }

    /**
     * Takes slots for one more call, unless that would exceed {@code limit} or require more free slots than there are. A call
     * that alone exceeds the limit is admitted when no other is in flight.
     */
    boolean tryAcquire(int weight, int limit) {
        while (true) {
            long now = state.get();
            if (limited(inflight(now), weight, limit)) {
                return false;
            }
            int borrowed = Math.max(0, inflight(now) + weight - Math.max(inflight(now), reserve(now)));
            if (borrowed > 0 && !slots.take(borrowed)) {
                return false;
            }
            if (state.compareAndSet(now, now + weight)) {
                return true;
            }
            if (borrowed > 0) {
                slots.give(borrowed);
            }
        }
    }

    private static boolean limited(int inflight, int weight, int limit) {
        return inflight > 0 && inflight + weight > limit;
    }

    /** Whether the limit, not a lack of slots, excludes one more call of this weight. */
    boolean limited(int weight, int limit) {
        return limited(inflight(), weight, limit);
    }

    /** Releases the slots of a call; returns whether other lanes can borrow some of them. */
    boolean release(int weight) {
        long before = state.getAndAdd(-weight);
        int returned = inflight(before) - Math.max(inflight(before) - weight, reserve(before));
        if (returned <= 0) {
            return false;
        }
        slots.give(returned);
        return true;
    }

    void reserve(int reserve) {
        long before = state.getAndUpdate(now -> ((long) reserve << 32) | inflight(now));
        int inflight = inflight(before);
        slots.give(Math.max(inflight, reserve(before)) - Math.max(inflight, reserve));
    }
}
