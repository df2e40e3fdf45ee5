package io.thalweg.formats.view;

import io.thalweg.formats.BadReason;
import java.util.Locale;

/** The outcome of an event for one view. Each event has exactly one, so the counts add up to the events read. */
public enum EventOutcome {
    /** It is counted. */
    ACCEPTED,
    /** Its {@code where} does not match. */
    SKIPPED,
    /** It cannot be read; a {@link BadReason} says why. */
    BAD,
    /** Its pane had already ended by its partition's clock. */
    LATE,
    /** It is a record of Kafka without a value, which deletes its key from a compacted topic. */
    TOMBSTONE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As in metrics: {@code accepted}. */
    public String text() {
        return text;
    }
}
