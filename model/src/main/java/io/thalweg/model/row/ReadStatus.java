package io.thalweg.model.row;

/** The result of a read for one key. */
public enum ReadStatus {
    /** The values are those of a current row. */
    PRESENT,
    /** Nothing happened there: the zeros are true. */
    ZERO,
    /** No row is known for the key. */
    NOT_FOUND,
    /** The stored row is too old to be served as current. */
    OUTSIDE_MAX_AGE,
    /** Something is stored under the key that cannot be decoded. */
    UNREADABLE
}
