package io.thalweg.model;

import java.io.Serializable;

/** What is measured per cell, group and pane. */
public sealed interface Measure extends Serializable {
    /** Every accepted event. */
    record Count() implements Measure {}

    /**
     * Distinct values of a field within cell, group and pane. {@code UUID}: the 128 bits of the text; {@code STRING}: a
     * frozen 128-bit hash of its UTF-8; {@code INT64}: the number.
     */
    record CountDistinct(FieldPath field, ValueType type) implements Measure {}
}
