package io.thalweg.qalm.estimate;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The smallest queueing delay of the last {@value #CELLS} × 10 ms.
 *
 * <p>The minimum shows a standing queue: a single call that did not wait proves that there is none. (Nichols and Jacobson, CoDel.)
 *
 * <p><b>Units.</b> Nanoseconds, with a resolution of a microsecond. <b>Threads.</b> Safe, without locks; {@link #record} writes only
 * when a cell's minimum falls or its second sample arrives, so without a queue it only reads.
 */
public final class DelayWindow {
    static final long CELL_NANOS = 10_000_000;
    static final int CELLS = 10;
    /** {@link #minNanos} without a sample. */
    static final long NONE = Long.MAX_VALUE;

    private static final int DELAY_BITS = 34;
    private static final int COUNT_BITS = 2;
    private static final long DELAY_MAX = (1L << DELAY_BITS) - 1;
    private static final long COUNT_MAX = 2;

    // Per cell: the number of its 10 ms interval, the number of samples (capped at 2, which is all that callers need),
    // and the minimum in µs.
    private final AtomicLongArray cells = new AtomicLongArray(CELLS);

    public void record(long nowNanos, long delayNanos) {
        long tick = tick(nowNanos);
        int index = (int) Math.floorMod(Math.floorDiv(nowNanos, CELL_NANOS), (long) CELLS);
        long delay = Math.min(Math.max(delayNanos, 0) / 1_000, DELAY_MAX);
        while (true) {
            long cell = cells.get(index);
            boolean current = tickOf(cell) == tick;
            long count = current ? Math.min(countOf(cell) + 1, COUNT_MAX) : 1;
            long min = current ? Math.min(delayOf(cell), delay) : delay;
            long updated = pack(tick, count, min);
            if (updated == cell || cells.compareAndSet(index, cell, updated)) {
                return;
            }
        }
    }

    public long minNanos(long nowNanos) {
        long min = NONE;
        for (int i = 0; i < CELLS; i++) {
            long cell = cells.get(i);
            if (recent(cell, nowNanos)) {
                min = Math.min(min, delayOf(cell) * 1_000);
            }
        }
        return min;
    }

    /** The number of samples in the window; exact up to 2. */
    public int samples(long nowNanos) {
        int count = 0;
        for (int i = 0; i < CELLS; i++) {
            long cell = cells.get(i);
            count += recent(cell, nowNanos) ? (int) countOf(cell) : 0;
        }
        return count;
    }

    private static boolean recent(long cell, long nowNanos) {
        long age = (tick(nowNanos) - tickOf(cell)) & TICK_MASK;
        return countOf(cell) > 0 && age < CELLS;
    }

    private static final long TICK_MASK = (1L << (64 - DELAY_BITS - COUNT_BITS)) - 1;

    private static long tick(long nanos) {
        return Math.floorDiv(nanos, CELL_NANOS) & TICK_MASK;
    }

    private static long pack(long tick, long count, long delay) {
        return tick << (DELAY_BITS + COUNT_BITS) | count << DELAY_BITS | delay;
    }

    private static long tickOf(long cell) {
        return cell >>> (DELAY_BITS + COUNT_BITS);
    }

    private static long countOf(long cell) {
        return (cell >>> DELAY_BITS) & ((1 << COUNT_BITS) - 1);
    }

    private static long delayOf(long cell) {
        return cell & DELAY_MAX;
    }
}
