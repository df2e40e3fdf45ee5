package io.thalweg.jobs.load;

import io.thalweg.formats.BadReason;
import java.util.Locale;

/** The reason why a record or a row became a dead letter. The texts are the same in letters and metrics, and never change. */
public enum DeadLetterReason {
    /** Its bytes are neither rows nor progress. */
    UNDECODABLE,
    /** It belongs to another view. */
    WRONG_VIEW,
    /** Its entities, rings, measures or windows differ from those of the view. */
    WRONG_LAYOUT,
    /** It has text that is not valid Unicode. */
    INVALID_TEXT,
    /** The store refuses it permanently. */
    REFUSED,
    /** A row of a table without an entity or an event time. */
    MISSING_FIELD,
    /** A row of a table with a value that is not of its column's type. */
    WRONG_TYPE,
    /** A row of a table whose event time cannot be read. */
    TIME_INVALID,
    /** A row of a table whose event time is not in a plausible year. */
    TIME_OUT_OF_RANGE,
    /** A row of a table that exceeds the maximum row size. */
    TOO_LARGE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** Returns the reason for a bad row of a table. */
    static DeadLetterReason of(BadReason reason) {
        return valueOf(reason.name());
    }

    /** The text in letters and metrics, such as {@code wrong_view}. */
    public String text() {
        return text;
    }
}
