package io.thalweg.kernel.keyed;

/** How a value stands in {@link KeyedRows}. */
public enum ValueForm {
    /** The low word. */
    INT64,
    /** Both words, two's complement. */
    INT128,
    /** Raw bits in the low word; infinite where a sum is beyond all doubles, never NaN. */
    DOUBLE
}
