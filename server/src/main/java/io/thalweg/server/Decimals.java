package io.thalweg.server;

import java.util.AbstractList;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * Values of a row that are finite doubles and all there. An answer has thousands; who writes them asks for each as it is, without a box.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class Decimals extends AbstractList<@Nullable Object> implements RandomAccess {
    private final double[] values;

    private Decimals(double[] values) {
        this.values = values;
    }

    /** Some of a row's values, in the order asked. */
    static Decimals of(double[] all, int[] asked) {
        double[] values = new double[asked.length];
        for (int i = 0; i < asked.length; i++) {
            values[i] = all[asked[i]];
        }
        return new Decimals(values);
    }

    static Decimals zeros(int size) {
        return new Decimals(new double[size]);
    }

    double at(int i) {
        return values[i];
    }

    @Override
    public Double get(int i) {
        return values[i];
    }

    @Override
    public int size() {
        return values.length;
    }
}
