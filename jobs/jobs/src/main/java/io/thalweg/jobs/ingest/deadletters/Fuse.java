package io.thalweg.jobs.ingest.deadletters;

import io.thalweg.model.ingest.Ingest.MaxBad;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fails a job in which too many messages are bad: a wrong schema would turn a whole topic into dead letters. It counts in
 * consecutive spans of time and checks the limit at each bad message.
 *
 * <p><b>Threads.</b> One.
 */
public final class Fuse {
    private final MaxBad limit;
    private final LongSupplier events;
    private final LongSupplier nowMs;
    private final Map<String, Long> reasons = new HashMap<>();
    private long begunMs = Long.MIN_VALUE;
    private long eventsBefore;
    private long bad;
    private @Nullable IngestDeadLetter first;

    /**
     * Creates a fuse that has counted nothing yet.
     *
     * @param events the number of messages so far, including the bad one that is reported
     * @param nowMs a monotonic clock
     */
    public Fuse(MaxBad limit, LongSupplier events, LongSupplier nowMs) {
        this.limit = limit;
        this.events = events;
        this.nowMs = nowMs;
        eventsBefore = events.getAsLong();
    }

    /**
     * Counts a bad message.
     *
     * @throws TooManyBadException if it exceeds the limit
     */
    public void bad(IngestDeadLetter letter) {
        long now = nowMs.getAsLong();
        if (begunMs == Long.MIN_VALUE) {
            begunMs = now;
        } else if (now - begunMs >= limit.within().millis()) {
            begunMs = now;
            eventsBefore = events.getAsLong() - 1;
            bad = 0;
            reasons.clear();
            first = null;
        }
        bad++;
        reasons.merge(letter.why().fault().reason(), 1L, Long::sum);
        first = first == null ? letter : first;
        long seen = events.getAsLong() - eventsBefore;
        if (seen >= limit.ofAtLeast() && bad > limit.share() * seen) {
            throw new TooManyBadException(limit, bad, seen, mostFrequent(), first);
        }
    }

    private String mostFrequent() {
        return reasons.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("");
    }
}
