package io.thalweg.bench.advertising;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Checks the answers to live reads of campaigns: the count of a window must never decrease, and must never exceed that of the
 * window's final row, which the recount checks. Every eighth campaign is compared.
 *
 * <p><b>Threads.</b> Safe.
 */
final class LiveCounts {
    private static final int EACH = 8;
    /** The number of answers among which one must not be 0: a short pass may have a few, all before the first events of a window. */
    static final int JUDGED = 50;

    private static final int COUNT_BITS = 40;

    /** For each campaign, a window and its count; greater is later. */
    private final AtomicLongArray newest;

    private final LongAdder compared = new LongAdder();
    private final LongAdder positive = new LongAdder();
    private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();

    LiveCounts(int campaigns) {
        this.newest = new AtomicLongArray(campaigns);
    }

    static boolean isCompared(long campaign) {
        return campaign % EACH == 0;
    }

    private static long pack(long windowEndMs, long count) {
        return (((windowEndMs - AdLoad.START_MS) / AdLoad.WINDOW_MS) << COUNT_BITS) | count;
    }

    /** Returns the least that a read that is sent now may be answered. */
    long newest(int campaign) {
        return newest.get(campaign);
    }

    /** Checks an answer; {@code before} is {@link #newest} as of when the read was sent. */
    void read(int campaign, long before, long windowEndMs, long count) {
        long answered = pack(windowEndMs, count);
        compared.increment();
        if (count > 0) {
            positive.increment();
        }
        require(answered >= before, campaign, "less than an earlier one");
        newest.accumulateAndGet(campaign, answered, Math::max);
    }

    /** Checks the row of a window that has ended. */
    void row(long campaign, long windowEndMs, long count) {
        if (isCompared(campaign) && campaign < newest.length()) {
            long row = pack(windowEndMs, count);
            long answered = newest.get((int) campaign);
            require(
                    answered <= row || answered >>> COUNT_BITS != row >>> COUNT_BITS,
                    campaign,
                    "more than the row of its window has");
        }
    }

    private void require(boolean right, long campaign, String answer) {
        if (!right) {
            wrong.compareAndSet(null, "a live read of campaign %d was answered %s".formatted(campaign, answer));
        }
    }

    /** The number of answers that were compared. */
    long compared() {
        return compared.sum();
    }

    /**
     * Checks that all answers were right. Most are of windows that have events, so they cannot all be 0.
     *
     * @throws IllegalStateException with the first that was not
     */
    void requireRight() {
        String difference = wrong.get();
        if (difference != null) {
            throw new IllegalStateException(difference);
        }
        if (compared() >= JUDGED && positive.sum() == 0) {
            throw new IllegalStateException("all %,d live reads were answered 0".formatted(compared()));
        }
    }
}
