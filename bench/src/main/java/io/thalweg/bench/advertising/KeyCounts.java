package io.thalweg.bench.advertising;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of keys that a job came to: rows, events, and their digest as {@link KeyLoad#digest} has it.
 *
 * <p><b>Threads.</b> Safe.
 */
final class KeyCounts {
    /** Those of this process, for sinks that are deserialized. */
    static final KeyCounts OF_PROCESS = new KeyCounts();

    private final LongAdder rows = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final LongAdder digest = new LongAdder();

    /** Adds counts that were summed by the caller. */
    void add(long moreRows, long moreEvents, long moreDigest) {
        rows.add(moreRows);
        events.add(moreEvents);
        digest.add(moreDigest);
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
}
