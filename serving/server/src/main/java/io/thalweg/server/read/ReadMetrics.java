package io.thalweg.server.read;

import io.thalweg.model.view.FeatureView;
import io.thalweg.server.read.ReadRequest.ReadFrom;
import io.thalweg.server.telemetry.Metrics;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code thalweg_read_seconds} by view and source, {@code thalweg_scan_seconds}, and counts of rows that cannot be decoded. */
public final class ReadMetrics {
    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5
    };

    private static final double[] SCAN_BOUNDS = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };

    private static final Logger LOG = LoggerFactory.getLogger(ReadMetrics.class);
    private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<String, Map<ReadFrom, DoubleConsumer>> byView = new HashMap<>();
    private final Map<String, DoubleConsumer> scans = new HashMap<>();
    private final Map<String, Unreadable> unreadable = new HashMap<>();

    /** The undecodable values of one view. */
    private static final class Unreadable {
        private final LongAdder rows = new LongAdder();
        private long loggedRows;
        private long loggedNanos = System.nanoTime() - LOG_EVERY_NANOS;

        synchronized void log(String view, String key, String reason) {
            long now = System.nanoTime();
            if (now - loggedNanos >= LOG_EVERY_NANOS) {
                long all = rows.sum();
                LOG.warn(
                        "The store has values of view {} that cannot be decoded; {} reads met one since the last report, now of"
                                + " key {}: {}",
                        view,
                        all - loggedRows,
                        key,
                        reason);
                loggedRows = all;
                loggedNanos = now;
            }
        }
    }

    public ReadMetrics(List<FeatureView> views, Metrics metrics) {
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
            if (!view.isKeyed()) {
                scans.put(
                        view.qualifiedName(),
                        metrics.histogram(
                                "thalweg_scan_seconds",
                                "Time to read a region, without encoding its answer and the network.",
                                Metrics.labels("view", view.qualifiedName()),
                                SCAN_BOUNDS));
            }
            Unreadable values = new Unreadable();
            unreadable.put(view.qualifiedName(), values);
            metrics.counter(
                    "thalweg_unreadable_rows_total",
                    "Rows answered as UNREADABLE: the store has a value that cannot be decoded.",
                    Metrics.labels("view", view.qualifiedName()),
                    values.rows::sum);
        }
    }

    void record(FeatureView view, ReadFrom from, long nanos) {
        DoubleConsumer histogram =
                byView.getOrDefault(view.qualifiedName(), Map.of()).get(from);
        if (histogram != null) {
            histogram.accept(nanos / 1e9);
        }
    }

    public void recordScan(FeatureView view, long nanos) {
        DoubleConsumer histogram = scans.get(view.qualifiedName());
        if (histogram != null) {
            histogram.accept(nanos / 1e9);
        }
    }

    /** Records that a read met a value that cannot be decoded. */
    public void unreadable(FeatureView view, Object key, String reason) {
        Unreadable values = unreadable.get(view.qualifiedName());
        if (values != null) {
            values.rows.increment();
            values.log(view.qualifiedName(), String.valueOf(key), reason);
        }
    }
}
