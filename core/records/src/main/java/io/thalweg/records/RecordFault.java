package io.thalweg.records;

import java.util.Locale;

/** The reason why a message did not become a row. Its lower-case name is the dead-letter {@code reason}. */
public enum RecordFault {
    /** The bytes are not a message of the format: cut off, malformed, nested too deeply, a text format that is not UTF-8. */
    UNDECODABLE,
    /** The message is empty. */
    EMPTY,
    /** A required field is missing. */
    MISSING_FIELD,
    /** A field holds a value of another type. */
    WRONG_TYPE,
    /** A text that is read is not valid Unicode: its bytes are not UTF-8, or it escapes half of a surrogate pair. */
    INVALID_TEXT,
    /** A value does not fit the type of its column. */
    OUT_OF_RANGE,
    /** The time that partitions the table is outside the years 1 to 9999. */
    TIME_OUT_OF_RANGE,
    /** The message is larger than {@code limits.message}. */
    TOO_LARGE,
    /** The message inflates beyond {@code limits.inflated} or {@code limits.ratio}. */
    INFLATED_TOO_LARGE,
    /** The data is compressed by a codec that is not supported. */
    UNKNOWN_CODEC,
    /** The message names a schema that does not exist. */
    UNKNOWN_SCHEMA,
    /** The data carries its own schema, which cannot be resolved to that of the table. */
    SCHEMA_INCOMPATIBLE,
    /** The message contains a field that is not in the schema, and {@code sink.unknown_fields} makes that a fault. */
    UNKNOWN_FIELD,
    /** The warehouse refuses the row. */
    REFUSED,
    /** The user's function rejected the message. */
    REJECTED,
    /** The user's function failed. */
    FAILED;

    private final String reason = name().toLowerCase(Locale.ROOT);

    /** The name in dead letters and metrics. */
    public String reason() {
        return reason;
    }
}
