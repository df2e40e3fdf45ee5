package io.thalweg.warehouse;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * The number of retried requests, by cause.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class RetryAccount {
    private final Map<RetryCause, LongAdder> counts = new EnumMap<>(RetryCause.class);

    /** Creates counters that start at zero. */
    public RetryAccount() {
        for (RetryCause cause : RetryCause.values()) {
            counts.put(cause, new LongAdder());
        }
    }

    /** Counts a retried request. */
    public void add(RetryCause cause) {
        of(cause).increment();
    }

    /** The number of requests retried for a cause. */
    public long get(RetryCause cause) {
        return of(cause).sum();
    }

    /** The number of requests retried for any cause. */
    public long total() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private LongAdder of(RetryCause cause) {
        return Objects.requireNonNull(counts.get(cause));
    }
}
