package io.thalweg.server.telemetry;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.DoublePredicate;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The series of {@code /metrics}. A component registers a supplier for each of its numbers; the suppliers are called when the
 * metrics are exposed. Registering the same name and labels again replaces the supplier; a histogram continues. The first
 * registration of a name determines its help text and bounds.
 *
 * <p><b>Missing data.</b> A series is left out while its value is NaN or its supplier throws: a store that does not answer must
 * not hide the other series.
 *
 * <p><b>Errors.</b> IllegalArgumentException for a name or label that Prometheus refuses, a counter whose name does not end in
 * {@code _total}, or a name that is registered as another type or with other label names.
 *
 * <p><b>Threads.</b> Safe. {@link #expose} blocks as long as the suppliers do.
 */
public final class Metrics {
    /** The media type of the result of {@link #expose}. */
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final Logger LOG = LoggerFactory.getLogger(Metrics.class);
    private static final PrometheusTextFormatWriter WRITER = PrometheusTextFormatWriter.create();
    private static final int USUAL_BYTES = 64 << 10;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Map<String, Family> families = new ConcurrentHashMap<>();
    private final Map<String, Histogram> histograms = new ConcurrentHashMap<>();

    /** Returns labels in the order given: name, value, name, value. */
    public static Map<String, String> labels(String... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("labels come in pairs, was " + Arrays.toString(namesAndValues));
        }
        Map<String, String> labels = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            labels.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return Collections.unmodifiableMap(labels);
    }

    /** Registers a number that only grows. */
    public void counter(String name, String help, Map<String, String> labels, LongSupplier value) {
        counter(name, help, labels, (DoubleSupplier) value::getAsLong);
    }

    /** Registers a counter of time spent, in nanoseconds; exposed in seconds. */
    public void timeSpent(String name, String help, Map<String, String> labels, LongSupplier nanos) {
        counter(name, help, labels, (DoubleSupplier) () -> nanos.getAsLong() / 1e9);
    }

    private void counter(String name, String help, Map<String, String> labels, DoubleSupplier value) {
        if (!name.endsWith("_total")) {
            throw new IllegalArgumentException("a counter's name ends in _total, was '" + name + "'");
        }
        family(
                        name,
                        "counter",
                        labels,
                        added -> registry.register(CounterWithCallback.builder()
                                .name(name)
                                .help(help)
                                .labelNames(added.labelNames())
                                .callback(callback -> added.forEach(number -> number >= 0, callback::call))
                                .build()))
                .add(labels, value);
    }

    /** Registers a number that rises and falls. */
    public void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value) {
        family(
                        name,
                        "gauge",
                        labels,
                        added -> registry.register(GaugeWithCallback.builder()
                                .name(name)
                                .help(help)
                                .labelNames(added.labelNames())
                                .callback(callback -> added.forEach(number -> !Double.isNaN(number), callback::call))
                                .build()))
                .add(labels, value);
    }

    /**
     * Registers a distribution. Returns the consumer of its values, which are in the unit that the name ends with.
     *
     * @param bounds upper bounds of the buckets, ascending; a bucket without a bound follows
     */
    public DoubleConsumer histogram(String name, String help, Map<String, String> labels, double... bounds) {
        Family family = family(name, "histogram", labels, added -> {
            Histogram histogram = Histogram.builder()
                    .name(name)
                    .help(help)
                    .labelNames(added.labelNames())
                    .classicOnly()
                    .classicUpperBounds(bounds)
                    .withoutExemplars()
                    .build();
            registry.register(histogram);
            histograms.put(name, histogram);
        });
        return Objects.requireNonNull(histograms.get(name)).labelValues(family.values(labels))::observe;
    }

    private Family family(String name, String type, Map<String, String> labels, Consumer<Family> register) {
        Family family = families.computeIfAbsent(name, key -> {
            requireName(name);
            labels.keySet().forEach(Metrics::requireName);
            Family added = new Family(type, List.copyOf(labels.keySet()), new ConcurrentHashMap<>());
            register.accept(added);
            return added;
        });
        if (!family.type.equals(type)) {
            throw new IllegalArgumentException("metric " + name + " is a " + family.type + ", not a " + type);
        }
        if (!labels.keySet().equals(Set.copyOf(family.names))) {
            throw new IllegalArgumentException(
                    "metric " + name + " has the labels " + family.names + ", not " + labels.keySet());
        }
        return family;
    }

    private static void requireName(String name) {
        if (!name.matches("[a-zA-Z_][a-zA-Z0-9_]*")) {
            throw new IllegalArgumentException(
                    "a metric or label is named in letters, digits and _, was '" + name + "'");
        }
    }

    /** All series of a name; {@code series} by the values of their labels, in the order of {@code names}. */
    private record Family(String type, List<String> names, Map<List<String>, DoubleSupplier> series) {
        String[] labelNames() {
            return names.toArray(String[]::new);
        }

        String[] values(Map<String, String> labels) {
            return names.stream().map(labels::get).toArray(String[]::new);
        }

        Map<String, String> labels(String[] values) {
            Map<String, String> labels = new LinkedHashMap<>();
            for (int i = 0; i < values.length; i++) {
                labels.put(names.get(i), values[i]);
            }
            return labels;
        }

        void add(Map<String, String> labels, DoubleSupplier value) {
            series.put(List.of(values(labels)), value);
        }

        void forEach(DoublePredicate shown, Sample sample) {
            series.forEach((labels, value) -> {
                double number = number(value);
                if (shown.test(number)) {
                    sample.take(number, labels.toArray(String[]::new));
                }
            });
        }

        private double number(DoubleSupplier value) {
            try {
                return value.getAsDouble();
            } catch (RuntimeException e) {
                LOG.debug("A series is left out, because its value cannot be determined", e);
                return Double.NaN;
            }
        }
    }

    private interface Sample {
        void take(double value, String... labels);
    }

    /** Registers the series of this process and its JVM: {@code process_…} and {@code jvm_…}. */
    public void process() {
        JvmMetrics.builder().register(registry);
    }

    /**
     * Registers series that come and go: at each exposition {@code collector} receives empty metrics and registers those that
     * exist.
     */
    public void collect(Consumer<Metrics> collector) {
        registry.register((MultiCollector) () -> {
            Metrics collected = new Metrics();
            collector.accept(collected);
            return collected.registry.scrape();
        });
    }

    /** Returns the values that a label has in any series, except those of {@link #collect}. */
    public SortedSet<String> labelValues(String label) {
        SortedSet<String> found = new TreeSet<>();
        for (Family family : families.values()) {
            int at = family.names.indexOf(label);
            if (at >= 0) {
                family.series.keySet().forEach(labels -> found.add(labels.get(at)));
            }
        }
        return found;
    }

    /** Returns the series in which a label has this value, by name, except those of {@link #collect}. */
    public List<Series> labelled(String label, String value) {
        List<Series> found = new ArrayList<>();
        for (String name : new TreeSet<>(families.keySet())) {
            Family family = Objects.requireNonNull(families.get(name));
            int at = family.names.indexOf(label);
            if (at < 0) {
                continue;
            }
            family.forEach(number -> !Double.isNaN(number), (number, labels) -> {
                if (labels[at].equals(value)) {
                    found.add(new Series(name, family.labels(labels), number, null));
                }
            });
            Histogram histogram = histograms.get(name);
            if (histogram != null) {
                for (HistogramSnapshot.HistogramDataPointSnapshot each :
                        histogram.collect().getDataPoints()) {
                    if (value.equals(each.getLabels().get(label))) {
                        found.add(Series.of(name, family, each));
                    }
                }
            }
        }
        return found;
    }

    /**
     * The present value of a series.
     *
     * @param value of a histogram the sum of its values
     * @param counts of a histogram
     */
    public record Series(
            String name,
            Map<String, String> labels,
            double value,
            @Nullable Buckets counts) {
        private static Series of(String name, Family family, HistogramSnapshot.HistogramDataPointSnapshot histogram) {
            String[] labels =
                    family.names.stream().map(histogram.getLabels()::get).toArray(String[]::new);
            ClassicHistogramBuckets buckets = histogram.getClassicBuckets();
            double[] bounds = new double[buckets.size()];
            long[] counts = new long[buckets.size()];
            for (int i = 0; i < bounds.length; i++) {
                bounds[i] = buckets.getUpperBound(i);
                counts[i] = buckets.getCount(i);
            }
            return new Series(name, family.labels(labels), histogram.getSum(), new Buckets(bounds, counts));
        }
    }

    /** How many values are in each bucket, by its upper bound; the last bound is infinite. */
    public record Buckets(double[] bounds, long[] counts) {}

    /** Returns all series in Prometheus' text format. */
    public byte[] expose() {
        ByteArrayOutputStream out = new ByteArrayOutputStream(USUAL_BYTES);
        try {
            WRITER.write(out, registry.scrape(), EscapingScheme.DEFAULT);
        } catch (IOException e) {
            throw new UncheckedIOException("an array in memory refused bytes", e);
        }
        return out.toByteArray();
    }
}
