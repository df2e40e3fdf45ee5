package io.thalweg.model.row;

/** The result of a read for one key. */
public enum ReadStatus {
    /** The values are those of a current row. */
    PRESENT,
    /** There were no events: the zeros are actual values. */
    ZERO,
    /** No row is known for the key. */
    NOT_FOUND,
    /** The stored row is too old to be served as current. */
    OUTSIDE_MAX_AGE,
    /** The value stored under the key cannot be decoded. */
    UNREADABLE
}
