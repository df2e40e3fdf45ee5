package io.thalweg.server;

import io.thalweg.model.FeatureView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code thalweg_read_seconds}, per view. */
final class ReadTimes {
    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5
    };

    private final Map<String, Metrics.Histogram> byView = new HashMap<>();

    ReadTimes(List<FeatureView> views, Metrics metrics) {
        for (FeatureView view : views) {
            byView.put(
                    view.qualifiedName(),
                    metrics.histogram(
                            "thalweg_read_seconds",
                            "Time to answer a read, without the network.",
                            Metrics.labels("view", view.qualifiedName(), "read_from", "STORE"),
                            BOUNDS));
        }
    }

    void record(FeatureView view, long nanos) {
        Metrics.Histogram histogram = byView.get(view.qualifiedName());
        if (histogram != null) {
            histogram.accept(nanos / 1e9);
        }
    }
}
