package io.thalweg.formats;

import java.util.Locale;

/** What becomes of an event for one view: exactly one of these, so that their counts add up to the events read. */
public enum Outcome {
    /** It counts. */
    ACCEPTED,
    /** Its {@code where} does not match. */
    SKIPPED,
    /** It cannot be read; a {@link BadReason} says why. */
    BAD,
    /** Its pane had already ended by its partition's clock. */
    LATE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As in metrics: {@code accepted}. */
    public String text() {
        return text;
    }
}
