package io.thalweg.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** TurnSchedule the integer sums of a row into its features. */
public final class RowValues {
    private RowValues() {}

    /**
     * The features of one row, in the order of {@link FeatureView#featureNames()}.
     *
     * @param sums {@code rings * windows} integer sums, rings outer
     * @param diskSizes true numbers of cells within each ring, or null where all are regular
     */
    public static double[] of(FeatureView view, long[] sums, int @Nullable [] diskSizes) {
        List<Integer> rings = view.rings();
        int[] panes = view.windows().panes();
        if (sums.length != rings.size() * panes.length) {
            throw new IllegalArgumentException("a row of view %s must have %d sums, was %d"
                    .formatted(view.qualifiedName(), rings.size() * panes.length, sums.length));
        }
        double[] values = new double[sums.length];
        for (int i = 0; i < values.length; i++) {
            int ring = i / panes.length;
            int size = diskSizes == null ? RowBlock.regularDiskSize(rings.get(ring)) : diskSizes[ring];
            values[i] = RowBlock.value(sums[i], size, panes[i % panes.length]);
        }
        return values;
    }
}
