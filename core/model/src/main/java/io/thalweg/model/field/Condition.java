package io.thalweg.model.field;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code where}. Values compare typed: the text {@code "1"} is not the number 1; numbers compare by value.
 * A value is a {@code String}, {@code Long}, {@code Double}, {@code Boolean}, or {@code null} for a listed {@code null}.
 */
public sealed interface Condition extends Serializable {
    FieldPath field();

    /** Whether a missing or null field can be evaluated instead of making the event bad. */
    boolean allowsNull();

    /** The field equals one of the values. {@code allowsNull} iff null is among them. */
    record In(FieldPath field, List<@Nullable Object> values) implements Condition {
        @Override
        public boolean allowsNull() {
            return values.contains(null);
        }
    }

    /** The field equals none of the values. {@code allowsNull} iff null is among them (null then does not match). */
    record NotIn(FieldPath field, List<@Nullable Object> values) implements Condition {
        @Override
        public boolean allowsNull() {
            return values.contains(null);
        }
    }

    /** The field is a number within bounds; an absent bound does not limit. Bounds are {@code Long} or {@code Double}. */
    record Range(
            FieldPath field,
            @Nullable Number gt,
            @Nullable Number gte,
            @Nullable Number lt,
            @Nullable Number lte) implements Condition {
        @Override
        public boolean allowsNull() {
            return false;
        }
    }

    /** The field is present and not null ({@code exists: true}), or is missing or null ({@code exists: false}). */
    record Exists(FieldPath field, boolean exists) implements Condition {
        @Override
        public boolean allowsNull() {
            return true;
        }
    }
}
