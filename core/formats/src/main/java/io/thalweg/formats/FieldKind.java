package io.thalweg.formats;

/** The kind of value that an event has in a column. */
public enum FieldKind {
    /** The field is absent; in CSV also if it is empty. */
    MISSING,
    /** JSON's {@code null}; a Kafka record without a key. */
    NULL,
    /** Text. */
    STRING,
    /** A number without fraction and exponent that fits 64 bits. */
    INTEGER,
    /** Any other number: with fraction or exponent, or an integer beyond 64 bits. */
    DOUBLE,
    BOOL,
    /** A list of numbers, of tables only: 8 bytes each, big-endian. */
    LIST,
    /** An object or an array. */
    OTHER,
    /** Text that is not valid Unicode: it escapes half of a surrogate pair, or its bytes are not UTF-8. */
    INVALID_TEXT;

    /** Whether there is no value: missing or null. */
    public boolean isAbsent() {
        return this == MISSING || this == NULL;
    }

    /** Whether there is a single value. */
    boolean isScalar() {
        return switch (this) {
            case STRING, INTEGER, DOUBLE, BOOL -> true;
            case MISSING, NULL, LIST, OTHER, INVALID_TEXT -> false;
        };
    }
}
