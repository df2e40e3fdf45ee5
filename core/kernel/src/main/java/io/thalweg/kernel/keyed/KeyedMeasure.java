package io.thalweg.kernel.keyed;

import java.io.Serializable;

/**
 * One measure of a keyed view.
 *
 * @param input the type of the input columns; ignored for {@link Kind#COUNT}
 * @param filter 0 for all accepted events; {@code f > 0} for those with bit {@code f - 1} of {@link KeyedBlock#matches}
 * @param column the first column of {@link KeyedBlock#inputs} that it reads; ignored for {@link Kind#COUNT}
 * @param perMs 0, or the unit of time of a rate of counts, sums or distinct counts: 60,000 for a rate per minute
 */
public record KeyedMeasure(Kind kind, Input input, int filter, int column, long perMs) implements Serializable {
    /** The kind of aggregate. */
    public enum Kind {
        COUNT,
        COUNT_DISTINCT,
        SUM,
        MIN,
        MAX,
        MEAN
    }

    /** The type of the input columns. */
    public enum Input {
        /** One column of {@code long}s. */
        INT64,
        /** One column of raw bits of finite {@code double}s. */
        DOUBLE,
        /** Two columns, the upper and the lower half of identities of 128 bits. */
        ID128
    }

    public KeyedMeasure {
        boolean distinct = kind == Kind.COUNT_DISTINCT;
        boolean fits = kind == Kind.COUNT || (distinct ? input != Input.DOUBLE : input != Input.ID128);
        boolean rate = kind == Kind.COUNT || kind == Kind.SUM || distinct;
        if (!fits || filter < 0 || filter > 64 || column < 0 || perMs < 0 || (perMs > 0 && !rate)) {
            throw new IllegalArgumentException("no measure: %s of %s, filter %d, column %d, per %d ms"
                    .formatted(kind, input, filter, column, perMs));
        }
    }

    /** The form of its values. */
    public ValueForm form() {
        if (perMs > 0 || kind == Kind.MEAN) {
            return ValueForm.DOUBLE;
        }
        if (kind == Kind.COUNT || kind == Kind.COUNT_DISTINCT) {
            return ValueForm.INT64;
        }
        return input == Input.DOUBLE ? ValueForm.DOUBLE : kind == Kind.SUM ? ValueForm.INT128 : ValueForm.INT64;
    }

    /** Whether combining events into one with the sum of their inputs and their total weight does not change the result. */
    boolean combines() {
        return kind == Kind.COUNT || (input == Input.INT64 && (kind == Kind.SUM || kind == Kind.MEAN));
    }

    /** The index after the last column that it reads. */
    int columnsEnd() {
        return kind == Kind.COUNT ? 0 : column + (input == Input.ID128 ? 2 : 1);
    }

    /** Whether a window without matching events has no value rather than 0. */
    public boolean isNullable() {
        return kind == Kind.MIN || kind == Kind.MAX || kind == Kind.MEAN;
    }
}
