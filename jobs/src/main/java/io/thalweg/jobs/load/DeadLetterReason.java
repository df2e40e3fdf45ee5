package io.thalweg.jobs.load;

import io.thalweg.formats.BadReason;
import java.util.Locale;

/** Why a record or a row went to the dead letters. The texts are the same in letters and metrics, and final. */
public enum DeadLetterReason {
    /** Its bytes are neither rows nor progress. */
    UNDECODABLE,
    /** It is another view's. */
    WRONG_VIEW,
    /** It was written with other entities, rings, measures or windows than the view has. */
    WRONG_LAYOUT,
    /** The store will not take it, now or later. */
    REFUSED,
    /** A row of a table without an entity or an event time. */
    MISSING_FIELD,
    /** A row of a table with a value that is not of its column's type. */
    WRONG_TYPE,
    /** A row of a table whose event time cannot be read. */
    TIME_INVALID,
    /** A row of a table whose event time is not in a plausible year. */
    TIME_OUT_OF_RANGE,
    /** A row of a table that is larger than rows may be. */
    TOO_LARGE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** The reason for a bad row of a table. */
    static DeadLetterReason of(BadReason reason) {
        return valueOf(reason.name());
    }

    /** As in letters and metrics: {@code wrong_view}. */
    public String text() {
        return text;
    }
}
