package io.thalweg.server;

import io.thalweg.model.FeatureView;
import io.thalweg.server.ReadRequest.ReadFrom;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;

/** {@code thalweg_read_seconds}, per view and where from. */
final class ReadTimes {
    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5
    };

    private final Map<String, Map<ReadFrom, DoubleConsumer>> byView = new HashMap<>();

    ReadTimes(List<FeatureView> views, Metrics metrics) {
        for (FeatureView view : views) {
            Map<ReadFrom, DoubleConsumer> histograms = new EnumMap<>(ReadFrom.class);
            for (ReadFrom from : ReadFrom.values()) {
                histograms.put(
                        from,
                        metrics.histogram(
                                "thalweg_read_seconds",
                                "Time to answer a read, without the network.",
                                Metrics.labels("view", view.qualifiedName(), "read_from", from.name()),
                                BOUNDS));
            }
            byView.put(view.qualifiedName(), histograms);
        }
    }

    void record(FeatureView view, ReadFrom from, long nanos) {
        DoubleConsumer histogram =
                byView.getOrDefault(view.qualifiedName(), Map.of()).get(from);
        if (histogram != null) {
            histogram.accept(nanos / 1e9);
        }
    }
}
