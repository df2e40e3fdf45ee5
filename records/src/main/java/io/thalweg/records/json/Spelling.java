package io.thalweg.records.json;

/** How the values of a type are written in JSON. */
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
    /** A number of seconds since 1970; likewise the two that follow. */
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
