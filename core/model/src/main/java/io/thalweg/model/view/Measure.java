package io.thalweg.model.view;

import io.thalweg.model.field.FieldPath;
import java.io.Serializable;

/** An aggregate: per cell, group and pane of a view with rings, per key and window of a keyed view. */
public sealed interface Measure extends Serializable {
    /** Every accepted event. */
    record Count() implements Measure {}

    /**
     * Distinct values of a field within cell, group and pane, or key and window. {@code UUID}: the 128 bits of the text;
     * {@code STRING}: a frozen 128-bit hash of its UTF-8; {@code INT64}: the number.
     */
    record CountDistinct(FieldPath field, ValueType type) implements Measure {}

    /** A function of a field's numbers; of views without rings only. */
    record OfNumbers(Function function, FieldPath field, NumberType type) implements Measure {}

    /** The type in which a column of a table is stored. */
    enum ColumnType {
        /** Whole numbers of 64 bits. */
        INT64,
        /** Finite doubles. */
        DOUBLE,
        /** Booleans, stored as the whole numbers 0 and 1. */
        BOOL,
        /** Text. */
        STRING,
        /** Lists of finite doubles, such as an embedding. */
        DOUBLE_LIST;

        /** Whether rows store its values as numbers, in words. */
        public boolean isNumber() {
            return this != STRING && this != DOUBLE_LIST;
        }

        /** As written in a definition. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** The functions of numbers. */
    enum Function {
        SUM,
        MIN,
        MAX,
        MEAN;

        /** As written in a definition. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** The type in which a field's numbers are read. */
    enum NumberType {
        /** Whole numbers of 64 bits; a sum has 128. */
        INT64,
        /** Finite doubles; a sum is exact, and rounded once. */
        DOUBLE;

        /** As written in a definition. */
        public String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
