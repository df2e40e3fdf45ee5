package io.thalweg.qalm;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls of one lane that are under way, and the slots it keeps for itself.
 *
 * <p>Both numbers share one word, so that every change knows exactly how {@code max(inflight, reserve)}, what the lane occupies
 * of {@link Slots}, changes with it.
 *
 * <p><b>Threads.</b> Safe, without locks.
 */
final class Occupancy {
    private final Slots slots;
    /** Reserve in the upper half, calls under way in the lower. */
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

    /** One more call under way, unless {@code limit} are or the slots beyond the reserve are all taken. */
    boolean tryAcquire(int limit) {
        while (true) {
            long now = state.get();
            if (inflight(now) >= limit) {
                return false;
            }
            boolean borrows = inflight(now) >= reserve(now);
            if (borrows && !slots.take()) {
                return false;
            }
            if (state.compareAndSet(now, now + 1)) {
                return true;
            }
            if (borrows) {
                slots.give(1);
            }
        }
    }

    /** One call fewer. Answers whether a slot went back to the other lanes. */
    boolean release() {
        long before = state.getAndDecrement();
        boolean borrowed = inflight(before) > reserve(before);
        if (borrowed) {
            slots.give(1);
        }
        return borrowed;
    }

    void reserve(int reserve) {
        long before = state.getAndUpdate(now -> ((long) reserve << 32) | inflight(now));
        int inflight = inflight(before);
        slots.give(Math.max(inflight, reserve(before)) - Math.max(inflight, reserve));
    }
}
