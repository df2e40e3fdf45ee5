package io.thalweg.server.console;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.server.telemetry.Metrics.Buckets;
import io.thalweg.server.telemetry.Metrics.Series;

/** The series of one view or ingest as JSON, for the console. */
final class SeriesJson {
    private SeriesJson() {}

    /**
     * Adds the series in which a label has a value, each with its other labels.
     *
     * @param withDistributions whether histograms are included
     */
    static void write(ArrayNode all, Metrics metrics, String label, String value, boolean withDistributions) {
        for (Series each : metrics.labelled(label, value)) {
            if (withDistributions || each.counts() == null) {
                write(all.addObject(), each, label);
            }
        }
    }

    private static void write(ObjectNode node, Series series, String label) {
        node.put("name", series.name());
        ObjectNode labels = node.putObject("labels");
        series.labels().forEach((name, value) -> {
            if (!name.equals(label)) {
                labels.put(name, value);
            }
        });
        Buckets buckets = series.counts();
        if (buckets == null) {
            node.put("value", series.value());
            return;
        }
        node.put("sum", series.value());
        ArrayNode bounds = node.putArray("bounds"); // all bounds except that of the last bucket, which has none
        ArrayNode counts = node.putArray("counts");
        for (int i = 0; i < buckets.counts().length; i++) {
            counts.add(buckets.counts()[i]);
            if (Double.isFinite(buckets.bounds()[i])) {
                bounds.add(buckets.bounds()[i]);
            }
        }
    }
}
