package io.thalweg.formats;

import java.util.Locale;

/** Why an event is a dead letter. The texts are the same in dead letters and metrics, and never change. */
public enum BadReason {
    UNDECODABLE,
    MISSING_FIELD,
    WRONG_TYPE,
    INVALID_TEXT,
    TIME_INVALID,
    TIME_OUT_OF_RANGE,
    COORDINATE,
    CELL,
    TOO_LARGE,
    LATE,
    LATE_IDLE;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As in dead letters and metrics: {@code missing_field}. */
    public String text() {
        return text;
    }
}
