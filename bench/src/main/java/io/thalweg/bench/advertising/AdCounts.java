package io.thalweg.bench.advertising;

import io.thalweg.bench.demand.Mix;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts that a system came to, as one number whatever their order.
 *
 * <p><b>Threads.</b> Safe.
 */
final class AdCounts {
    /** Those of this process, for sinks that are deserialized. */
    static final AdCounts OF_PROCESS = new AdCounts();

    private final LongAdder rows = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final LongAdder digest = new LongAdder();

    void add(long campaign, long windowEndMs, long count) {
        addAll(1, count, Mix.of(Mix.of(campaign, windowEndMs), count));
    }

    /** Adds counts that were summed by the caller. */
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

    /** How others differ from these; empty if they do not. */
    String differenceOf(AdCounts others) {
        if (others.rows() != rows()) {
            return "%,d rows, the recount has %,d".formatted(others.rows(), rows());
        }
        return others.digest() == digest() ? "" : "as many rows as the recount, of other counts";
    }
}
