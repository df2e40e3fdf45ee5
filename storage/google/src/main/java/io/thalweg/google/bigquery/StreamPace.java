package io.thalweg.google.bigquery;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Limits the creation of streams to {@value #PER_SECOND} a second, with random pauses in between, so that processes that start
 * together do not create streams together. The service has a quota of streams per hour, and a region refuses bursts.
 *
 * <p><b>Threads.</b> Safe.
 */
final class StreamPace {
    static final int PER_SECOND = 3;

    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

    private final LongSupplier clock;
    private final RandomGenerator random;
    private long nextNanos;

    /**
     * Creates a pace whose first stream may be created at once.
     *
     * @param clock nanoseconds of any origin
     */
    StreamPace(LongSupplier clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
        nextNanos = clock.getAsLong();
    }

    /** Waits until a stream may be created. */
    void await() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(reserve());
    }

    /** Reserves the next slot; returns the time until then, in nanoseconds. */
    synchronized long reserve() {
        long now = clock.getAsLong();
        long at = nextNanos - now > 0 ? nextNanos : now;
        nextNanos = at + LEAST_NANOS + random.nextLong(LEAST_NANOS / 2);
        return at - now;
    }
}
