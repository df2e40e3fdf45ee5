package io.thalweg.kernel.keyed;

/** The form of a value in {@link KeyedRows}. */
public enum ValueForm {
    /** The low word. */
    INT64,
    /** Both words, two's complement. */
    INT128,
    /** Raw bits in the low word; infinite if a sum exceeds all doubles, never NaN. */
    DOUBLE
}
