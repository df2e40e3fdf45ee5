package io.thalweg.model.row;

import io.thalweg.model.view.FeatureView;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the integer sums that the features of a JSON row were divided from.
 *
 * <p>JSON does not say how many cells a disk has. All disks except those near the twelve pentagons have the regular number, so
 * that is tried first, then smaller ones, until dividing the sum reproduces each feature of the ring bit for bit. Nothing else is
 * verified.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
final class SumFinder {
    private final FeatureView view;
    private final String[] names;
    private final int[] panes;

    SumFinder(FeatureView view) {
        this.view = view;
        this.names = view.featureNames().toArray(String[]::new);
        this.panes = view.windows().panes();
    }

    /**
     * Finds the sums.
     *
     * @param features by name, all of the view's
     * @param sums as in {@link HexRowBlock}, to be filled
     * @return the sizes of the disks; null where all are regular
     * @throws IllegalArgumentException if the view cannot have such features; the message names the ring
     */
    int @Nullable [] find(Map<String, @Nullable Number> features, long[] sums) {
        int rings = view.rings().size();
        int[] sizes = new int[rings];
        boolean regular = true;
        for (int ring = 0; ring < rings; ring++) {
            int most = HexRowBlock.regularDiskSize(view.rings().get(ring));
            sizes[ring] = size(features, ring, most, sums);
            regular &= sizes[ring] == most;
        }
        return regular ? null : sizes;
    }

    private int size(Map<String, @Nullable Number> features, int ring, int most, long[] sums) {
        for (int size = most; size > 0; size--) {
            if (divides(features, ring, size, sums)) {
                return size;
            }
        }
        throw new IllegalArgumentException("row.features of ring %d must be counts divided by at most %d cells, were %s"
                .formatted(view.rings().get(ring), most, features));
    }

    private boolean divides(Map<String, @Nullable Number> features, int ring, int size, long[] sums) {
        for (int window = 0; window < panes.length; window++) {
            int feature = ring * panes.length + window;
            double value = Objects.requireNonNull(features.get(names[feature])).doubleValue();
            long sum = Math.round(value * (double) ((long) size * panes[window]));
            if (sum < 0 || HexRowBlock.value(sum, size, panes[window]) != value) {
                return false;
            }
            sums[feature] = sum;
        }
        return true;
    }
}
