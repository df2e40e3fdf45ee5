package io.thalweg.records.json;

/** The notation of the values of a type in JSON. */
enum Spelling {
    BOOL,
    INT,
    FLOAT,
    DOUBLE,
    TEXT,
    BASE64,
    UUID,
    DATE,
    TIME,
    TIMESTAMP,
    /** A number of seconds since 1970. The next two count milliseconds and microseconds. */
    EPOCH_SECONDS,
    EPOCH_MILLIS,
    EPOCH_MICROS,
    DECIMAL,
    DECIMAL_TEXT,
    STRUCT,
    LIST,
    MAP,
    /** A value that is not read. */
    SKIPPED
}
