package io.thalweg.jobs;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the events of one view that one subtask has read, by outcome, and the bad and late ones by reason. The counts are part of the
 * job's state ({@link ViewMetrics#snapshot}), so an event that is read again after a failure counts once.
 *
 * <p><b>Threads.</b> One thread writes, any thread may read.
 */
final class EventAccount {
    private final Map<EventOutcome, AtomicLong> outcomes = counts(EventOutcome.class);
    private final Map<BadReason, AtomicLong> reasons = counts(BadReason.class);

    private static <E extends Enum<E>> Map<E, AtomicLong> counts(Class<E> kind) {
        Map<E, AtomicLong> counts = new EnumMap<>(kind);
        for (E each : kind.getEnumConstants()) {
            counts.put(each, new AtomicLong());
        }
        return counts;
    }

    void add(EventOutcome outcome, long events) {
        of(outcomes, outcome).addAndGet(events);
    }

    void add(BadReason reason, long events) {
        of(reasons, reason).addAndGet(events);
    }

    long events(EventOutcome outcome) {
        return of(outcomes, outcome).get();
    }

    long events(BadReason reason) {
        return of(reasons, reason).get();
    }

    private static <E> AtomicLong of(Map<E, AtomicLong> counts, E which) {
        return Objects.requireNonNull(counts.get(which));
    }
}
