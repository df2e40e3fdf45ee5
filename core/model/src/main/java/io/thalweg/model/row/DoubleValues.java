package io.thalweg.model.row;

import java.util.AbstractList;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Features that are finite doubles, none absent. A response contains thousands of them: {@link #at} reads one without
 * boxing.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class DoubleValues extends AbstractList<@Nullable Object> implements RandomAccess {
    private final double[] values;

    /** Wraps these values without copying them. */
    public DoubleValues(double... values) {
        this.values = values;
    }

    /** Returns {@code size} zeros. */
    public static DoubleValues zeros(int size) {
        return new DoubleValues(new double[size]);
    }

    /** Returns the values at these indexes, in the given order. */
    public DoubleValues at(int[] places) {
        double[] some = new double[places.length];
        for (int i = 0; i < places.length; i++) {
            some[i] = values[places[i]];
        }
        return new DoubleValues(some);
    }

    /** Returns one value. */
    public double at(int place) {
        return values[place];
    }

    /** Whether any value is not zero. */
    public boolean anyNonZero() {
        for (double value : values) {
            if (value != 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Double get(int place) {
        return values[place];
    }

    @Override
    public int size() {
        return values.length;
    }
}
