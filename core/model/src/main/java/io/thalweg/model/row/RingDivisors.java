package io.thalweg.model.row;

import io.thalweg.model.view.FeatureView;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts the integer sums of a view with rings to its features: each sum is divided by the cells of its disk times the panes of
 * its window.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class RingDivisors {
    private final String view;
    private final int[] regularDiskSizes;
    private final int[] windowPanes;
    /** The divisors of rows whose disks are all regular. */
    private final double[] regular;

    /** Creates the divisors of a view with rings. */
    public RingDivisors(FeatureView view) {
        this.view = view.qualifiedName();
        List<Integer> rings = view.rings();
        this.regularDiskSizes =
                rings.stream().mapToInt(HexRowBlock::regularDiskSize).toArray();
        this.windowPanes = view.windows().panes();
        this.regular = new double[features()];
        Arrays.setAll(regular, feature -> divisor(feature, null));
    }

    /** The number of features of a row. */
    public int features() {
        return regularDiskSizes.length * windowPanes.length;
    }

    /**
     * Computes the features of one row, in the order of {@link FeatureView#featureNames()}.
     *
     * @param sums {@code rings * windows} integer sums, rings outer
     * @param diskSizes true numbers of cells within each ring, or null where all are regular
     */
    public double[] values(long[] sums, int @Nullable [] diskSizes) {
        if (sums.length != features()) {
            throw new IllegalArgumentException(
                    "a row of view %s must have %d sums, was %d".formatted(view, features(), sums.length));
        }
        double[] values = new double[sums.length];
        if (diskSizes == null) {
            for (int feature = 0; feature < values.length; feature++) {
                values[feature] = sums[feature] / regular[feature];
            }
            return values;
        }
        for (int feature = 0; feature < values.length; feature++) {
            values[feature] = value(feature, sums, diskSizes);
        }
        return values;
    }

    /** Computes one of these {@link #values}. */
    double value(int feature, long[] sums, int @Nullable [] diskSizes) {
        return sums[feature] / (double) divisor(feature, diskSizes);
    }

    /** Recovers the sums that features were divided from: the inverse of {@link #values}, exact for sums below 2^52. */
    public long[] sums(double[] values, int @Nullable [] diskSizes) {
        long[] sums = new long[values.length];
        for (int feature = 0; feature < sums.length; feature++) {
            sums[feature] = Math.round(values[feature] * divisor(feature, diskSizes));
        }
        return sums;
    }

    private long divisor(int feature, int @Nullable [] diskSizes) {
        int ring = feature / windowPanes.length;
        int cells = diskSizes == null ? regularDiskSizes[ring] : diskSizes[ring];
        return (long) cells * windowPanes[feature % windowPanes.length];
    }
}
