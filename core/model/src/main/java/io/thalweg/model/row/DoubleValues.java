package io.thalweg.model.row;

import io.thalweg.model.view.FeatureForm;

/** Features that are finite doubles, none absent. */
public final class DoubleValues extends RowValues {
    private final double[] values;

    /** Wraps these values without copying them. */
    public DoubleValues(double... values) {
        this.values = values;
    }

    /** Returns {@code size} zeros. */
    public static DoubleValues zeros(int size) {
        return new DoubleValues(new double[size]);
    }

    @Override
    public FeatureForm form(int place) {
        return FeatureForm.DOUBLE;
    }

    @Override
    public boolean isAbsent(int place) {
        return false;
    }

    @Override
    public boolean isWide(int place) {
        return false;
    }

    @Override
    public long bits(int place) {
        return Double.doubleToRawLongBits(values[place]);
    }

    @Override
    public byte[] payload(int place) {
        throw new IllegalStateException("a double has no payload");
    }

    @Override
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
