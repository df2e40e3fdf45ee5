package io.thalweg.bench.layouts;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.HexRowBlock;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The features of a row, in the view's order and by name. */
final class Features {
    static final List<String> NAMES = DemandRows.VIEW.featureNames();

    private Features() {}

    /** Returns the features of a block's row. */
    static double[] of(HexRowBlock block, int row) {
        int from = row * NAMES.size();
        return DemandRows.features(Arrays.copyOfRange(block.sums(), from, from + NAMES.size()));
    }

    /** Returns the features in a map of {@link #byName}. */
    static double[] of(Map<String, Double> byName) {
        return NAMES.stream()
                .mapToDouble(name -> Objects.requireNonNull(byName.get(name), name))
                .toArray();
    }

    static Map<String, Double> byName(double[] features) {
        Map<String, Double> byName = new LinkedHashMap<>();
        for (int i = 0; i < features.length; i++) {
            byName.put(NAMES.get(i), features[i]);
        }
        return byName;
    }
}
