package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of a system, summed into a few numbers that do not depend on their order.
 *
 * <p><b>Threads.</b> Safe.
 */
final class AdCounts {
    /** The counts of this process, for sinks that are deserialized. */
    static final AdCounts OF_PROCESS = new AdCounts();

    private final LongAdder rows = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final LongAdder digest = new LongAdder();

    void add(long campaign, long windowEndMs, long count) {
        addAll(1, count, Mix.of(Mix.of(campaign, windowEndMs), count));
    }

    /** Adds counts that the caller has summed. */
    void addAll(long moreRows, long moreEvents, long moreDigest) {
        rows.add(moreRows);
        events.add(moreEvents);
        digest.add(moreDigest);
    }

    void clear() {
        rows.reset();
        events.reset();
        digest.reset();
    }

    long rows() {
        return rows.sum();
    }

    long events() {
        return events.sum();
    }

    long digest() {
        return digest.sum();
    }

    /** Returns how others differ from these; empty if they do not. */
    String differenceOf(AdCounts others) {
        if (others.rows() != rows()) {
            return "%,d rows, the recount has %,d".formatted(others.rows(), rows());
        }
        return others.digest() == digest() ? "" : "as many rows as the recount, of other counts";
    }
}
