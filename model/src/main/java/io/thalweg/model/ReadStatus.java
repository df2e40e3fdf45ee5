package io.thalweg.model;

/** What a read found out about one key. */
public enum ReadStatus {
    /** The values are those of a current row. */
    PRESENT,
    /** Nothing happened there: the zeros are true. */
    ZERO,
    /** No row is known for the key. */
    NOT_FOUND,
    /** What is stored is too old to be trusted as current. */
    OUTSIDE_MAX_AGE,
    /** Something is stored under the key that cannot be decoded. */
    UNREADABLE
}
