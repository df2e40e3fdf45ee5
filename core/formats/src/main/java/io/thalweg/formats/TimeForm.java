package io.thalweg.formats;

/** The unit and zone of times according to a table column's type. */
public enum TimeForm {
    /** Nothing: numbers or text, whose unit the definition names. */
    UNTYPED,
    /** Epoch ms: points in time. */
    INSTANT,
    /** Dates and times of day without a zone, as the epoch ms that they would be in UTC. */
    LOCAL
}
