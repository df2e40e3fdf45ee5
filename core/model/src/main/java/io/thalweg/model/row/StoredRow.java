package io.thalweg.model.row;

import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row in a store. Rows of a key are ordered by {@code (windowEndMs, finality, sequence)}; the greater one is kept. */
public sealed interface StoredRow {
    /** Epoch ms. */
    long windowEndMs();

    Finality finality();

    /** 0 for FINAL rows; grows with each PARTIAL row of the same window end. */
    long sequence();

    /**
     * The features, in the order of {@link FeatureView#featureNames()}: {@code Long}, {@code BigInteger} if it does not fit,
     * {@code Double}, {@code String}, a list of {@code Double}, or null. {@link DoubleValues} if all are finite doubles,
     * otherwise {@link RowValues} unless the store keeps each value by itself.
     */
    List<@Nullable Object> values();

    /**
     * A row of a view with rings.
     *
     * @param sums {@code rings * windows} integer sums, rings outer, windows inner; each at least 0
     * @param diskSizes true numbers of cells within each ring, or null where all are regular
     * @param divisors of the view
     */
    record OfSums(
            long windowEndMs,
            Finality finality,
            long sequence,
            long[] sums,
            int @Nullable [] diskSizes,
            RingDivisors divisors)
            implements StoredRow {
        @Override
        public DoubleValues values() {
            return new DoubleValues(divisors.values(sums, diskSizes));
        }

        /** Returns one of the {@link #values} by its index. */
        public double value(int feature) {
            return divisors.value(feature, sums, diskSizes);
        }
    }

    /** A row of a keyed view or of a table. */
    record OfValues(long windowEndMs, Finality finality, long sequence, List<@Nullable Object> values)
            implements StoredRow {
        public OfValues {
            values = values instanceof RowValues ? values : Collections.unmodifiableList(new ArrayList<>(values));
        }
    }
}
