package io.thalweg.server;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What {@code /metrics} shows, in Prometheus' text format. Whoever has a number registers where to get it; the number is
 * taken when somebody asks. Registering the same name and labels again replaces the former.
 *
 * <p><b>Missing data.</b> A sample whose value is NaN is left out.
 *
 * <p><b>Errors.</b> IllegalArgumentException for a name or label that Prometheus would refuse, or a name registered as
 * another type.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class Metrics {
    private final SortedMap<String, Family> families = new ConcurrentSkipListMap<>();
    private final List<Consumer<Metrics>> collectors = new CopyOnWriteArrayList<>();

    /** Labels in the order given: name, value, name, value. */
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

    /** A number that only grows. */
    public void counter(String name, String help, Map<String, String> labels, LongSupplier value) {
        add(name, "counter", help, labels, (out, text) -> sample(out, name, text, value.getAsLong()));
    }

    /** Time spent, in nanoseconds; shown in seconds. */
    public void timeSpent(String name, String help, Map<String, String> labels, LongSupplier nanos) {
        add(name, "counter", help, labels, (out, text) -> sample(out, name, text, nanos.getAsLong() / 1e9));
    }

    /** A number that comes and goes. */
    public void gauge(String name, String help, Map<String, String> labels, DoubleSupplier value) {
        add(name, "gauge", help, labels, (out, text) -> sample(out, name, text, value.getAsDouble()));
    }

    /**
     * A distribution.
     *
     * @param bounds upper bounds of the buckets, ascending; one without a bound follows
     */
    public Histogram histogram(String name, String help, Map<String, String> labels, double... bounds) {
        Histogram histogram = new Histogram(bounds);
        add(name, "histogram", help, labels, (out, text) -> histogram.write(out, name, text));
        return histogram;
    }

    /** For what comes and goes: whenever somebody asks, {@code collector} registers what there is with an empty register. */
    public void collect(Consumer<Metrics> collector) {
        collectors.add(collector);
    }

    private void add(String name, String type, String help, Map<String, String> labels, Series series) {
        requireName(name);
        labels.keySet().forEach(Metrics::requireName);
        Family family = families.computeIfAbsent(name, key -> new Family(type, help, new ConcurrentSkipListMap<>()));
        if (!family.type.equals(type)) {
            throw new IllegalArgumentException("metric " + name + " is a " + family.type + ", not a " + type);
        }
        family.series.put(text(labels), series);
    }

    private static void requireName(String name) {
        if (!name.matches("[a-zA-Z_][a-zA-Z0-9_]*")) {
            throw new IllegalArgumentException(
                    "a metric or label is named in letters, digits and _, was '" + name + "'");
        }
    }

    /** {@code view="demand",read_from="STORE"}. */
    private static String text(Map<String, String> labels) {
        StringBuilder out = new StringBuilder();
        labels.forEach((name, value) -> out.append(out.isEmpty() ? "" : ",")
                .append(name)
                .append("=\"")
                .append(escape(value).replace("\"", "\\\""))
                .append('"'));
        return out.toString();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    /** All of it, as text. */
    public String expose() {
        StringBuilder out = new StringBuilder();
        write(out);
        Metrics collected = new Metrics();
        collectors.forEach(collector -> collector.accept(collected));
        collected.write(out);
        return out.toString();
    }

    private void write(StringBuilder out) {
        families.forEach((name, family) -> {
            out.append("# HELP ")
                    .append(name)
                    .append(' ')
                    .append(escape(family.help))
                    .append('\n');
            out.append("# TYPE ").append(name).append(' ').append(family.type).append('\n');
            family.series.forEach((labels, series) -> series.write(out, labels));
        });
    }

    private static void sample(StringBuilder out, String name, String labels, double value) {
        if (!Double.isNaN(value)) {
            line(out, name, labels, number(value));
        }
    }

    private static void sample(StringBuilder out, String name, String labels, long value) {
        line(out, name, labels, Long.toString(value));
    }

    private static void line(StringBuilder out, String name, String labels, String value) {
        out.append(name);
        if (!labels.isEmpty()) {
            out.append('{').append(labels).append('}');
        }
        out.append(' ').append(value).append('\n');
    }

    private static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    private record Family(String type, String help, SortedMap<String, Series> series) {}

    private interface Series {
        void write(StringBuilder out, String labels);
    }

    /** Counts values into buckets; its sum and its count may be a value apart while one is being added. */
    public static final class Histogram implements DoubleConsumer {
        private final double[] bounds;
        private final AtomicLongArray counts;
        private final DoubleAdder sum = new DoubleAdder();

        private Histogram(double... bounds) {
            this.bounds = bounds.clone();
            for (int i = 1; i < bounds.length; i++) {
                if (!(bounds[i - 1] < bounds[i])) {
                    throw new IllegalArgumentException("bounds must ascend, was " + Arrays.toString(bounds));
                }
            }
            this.counts = new AtomicLongArray(bounds.length + 1);
        }

        /** Adds a value, in the unit that the metric's name ends with. */
        @Override
        public void accept(double value) {
            int at = Arrays.binarySearch(bounds, value);
            counts.incrementAndGet(at >= 0 ? at : -at - 1);
            sum.add(value);
        }

        private void write(StringBuilder out, String name, String labels) {
            String before = labels.isEmpty() ? "" : labels + ",";
            long count = 0;
            for (int i = 0; i <= bounds.length; i++) {
                count += counts.get(i);
                String bound = i == bounds.length ? "+Inf" : number(bounds[i]);
                sample(out, name + "_bucket", before + "le=\"" + bound + "\"", count);
            }
            sample(out, name + "_sum", labels, sum.sum());
            sample(out, name + "_count", labels, count);
        }
    }
}
