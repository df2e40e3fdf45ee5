package io.thalweg.records.generate;

import io.thalweg.records.schema.SchemaException;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options for drawing the values of one field. At most one of {@code distinct}, {@code values} and {@code now} is given.
 *
 * @param distinct number of different values; 0 for any
 * @param zipf the exponent of their frequencies: the k-th most frequent has a share that falls with k<sup>-zipf</sup>; 0 for equal
 *     shares
 * @param values as text; of times as in RFC 3339, of bytes and UUIDs in hexadecimal
 * @param range of numbers and times; both ends included
 * @param length bytes of texts and bytes; a text with this option does not help to reach the size of the message
 * @param now whether a time is that of the generator's clock
 * @param nulls share of messages without a value; null for that of the record
 */
public record FieldOptions(
        long distinct,
        double zipf,
        List<String> values,
        @Nullable Range range,
        @Nullable Between length,
        boolean now,
        @Nullable Double nulls)
        implements Serializable {
    public static final FieldOptions NONE = new FieldOptions(0, 0, List.of(), null, null, false, null);

    public FieldOptions {
        values = List.copyOf(values);
        if (distinct < 0 || !(zipf >= 0 && zipf <= 10)) {
            throw new SchemaException(
                    "distinct must be at least 0 and zipf 0 to 10, were distinct=%d zipf=%s".formatted(distinct, zipf));
        }
        if ((distinct > 0 ? 1 : 0) + (values.isEmpty() ? 0 : 1) + (now ? 1 : 0) > 1) {
            throw new SchemaException("distinct, values and now exclude each other; keep one");
        }
        if (nulls != null) {
            checkShare("nulls", nulls);
        }
    }

    /**
     * The ends of a range as text, interpreted by the type of the field.
     *
     * @param min the smallest value
     * @param max the largest value
     */
    public record Range(String min, String max) implements Serializable {}

    /** Creates options with a number of different values. */
    public static FieldOptions distinct(long distinct, double zipf) {
        return new FieldOptions(distinct, zipf, List.of(), null, null, false, null);
    }

    /** Creates options with listed values. */
    public static FieldOptions values(String... values) {
        return new FieldOptions(0, 0, List.of(values), null, null, false, null);
    }

    /** Creates options with a range of numbers or times. */
    public static FieldOptions range(String min, String max) {
        return new FieldOptions(0, 0, List.of(), new Range(min, max), null, false, null);
    }

    /** Creates options with a length of texts or bytes. */
    public static FieldOptions length(int min, int max) {
        return new FieldOptions(0, 0, List.of(), null, new Between(min, max), false, null);
    }

    /** Creates options that take the time of the generator's clock. */
    public static FieldOptions ofNow() {
        return new FieldOptions(0, 0, List.of(), null, null, true, null);
    }

    /** Returns the same options with a share of messages without a value. */
    public FieldOptions withNulls(double share) {
        return new FieldOptions(distinct, zipf, values, range, length, now, share);
    }

    static void checkShare(String name, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new SchemaException(name + " must be a share of 0 to 1, was " + share + "; write 5% as 0.05");
        }
    }
}
