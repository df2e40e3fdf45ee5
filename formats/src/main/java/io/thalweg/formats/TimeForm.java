package io.thalweg.formats;

/** What the type of a table's column says of the times in it. */
enum TimeForm {
    /** Nothing: numbers or text, whose unit the definition names. */
    UNTYPED,
    /** Epoch ms: points in time. */
    INSTANT,
    /** Dates and times of day without a zone, as the epoch ms that they would be in UTC. */
    LOCAL
}
