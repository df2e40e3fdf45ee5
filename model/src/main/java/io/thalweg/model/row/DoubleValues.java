package io.thalweg.model.row;

import java.util.AbstractList;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Features that are finite doubles, none absent. An answer has thousands of them: {@link #at} reads one without a box.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class DoubleValues extends AbstractList<@Nullable Object> implements RandomAccess {
    private final double[] values;

    /** These values; not a copy. */
    public DoubleValues(double... values) {
        this.values = values;
    }

    /** As many zeros. */
    public static DoubleValues zeros(int size) {
        return new DoubleValues(new double[size]);
    }

    /** The values at some places, in the order asked. */
    public DoubleValues at(int[] places) {
        double[] some = new double[places.length];
        for (int i = 0; i < places.length; i++) {
            some[i] = values[places[i]];
        }
        return new DoubleValues(some);
    }

    /** One value. */
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
