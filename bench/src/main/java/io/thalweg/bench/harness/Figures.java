package io.thalweg.bench.harness;

import io.thalweg.bench.harness.Contest.Score;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/** Numbers by name, in the order in which they are shown. Names end in their units. */
public final class Figures {
    private final Map<String, Number> numbers = new LinkedHashMap<>();

    /** Puts a count. */
    public Figures put(String name, long value) {
        numbers.put(name, value);
        return this;
    }

    /** Puts a figure, rounded to four decimal places. */
    public Figures put(String name, double value) {
        numbers.put(name, Math.rint(value * 1e4) / 1e4);
        return this;
    }

    public Figures putAll(Map<String, ? extends Number> others) {
        numbers.putAll(others);
        return this;
    }

    /**
     * Puts median (nearest rank) and maximum of a few latencies, as {@code name_p50_ms} and so on: they are too few for a 99th
     * percentile.
     */
    public Figures latencies(String name, long[] millis) {
        long[] sorted = millis.clone();
        Arrays.sort(sorted);
        return sorted.length == 0
                ? this
                : put(name + "_p50_ms", sorted[(sorted.length - 1) / 2])
                        .put(name + "_max_ms", sorted[sorted.length - 1]);
    }

    /** Puts median, 99th percentile and maximum of nanoseconds. */
    public Figures latencies(String name, Histogram nanos) {
        if (nanos.getTotalCount() == 0) {
            return this;
        }
        return put(name + "_p50_ms", nanos.getValueAtPercentile(50) / 1e6)
                .put(name + "_p99_ms", nanos.getValueAtPercentile(99) / 1e6)
                .put(name + "_max_ms", nanos.getMaxValue() / 1e6);
    }

    /**
     * Puts a rate and its cost in CPU time: {@code <unit>_per_second}, {@code <unit>_per_cpu_second},
     * {@code cpu_seconds_per_million_<unit>} and {@code seconds}.
     */
    public Figures rate(String unit, long count, double seconds, double cpuSeconds) {
        return put(unit, count)
                .put(unit + "_per_second", Math.rint(count / seconds))
                .put(unit + "_per_cpu_second", Math.rint(count / cpuSeconds))
                .put("cpu_seconds_per_million_" + unit, cpuSeconds / count * 1e6)
                .put("seconds", seconds);
    }

    public Number get(String name) {
        return Objects.requireNonNull(numbers.get(name), name);
    }

    public double number(String name) {
        return get(name).doubleValue();
    }

    public Map<String, Number> asMap() {
        return new LinkedHashMap<>(numbers);
    }

    /** Returns all figures with how rows differ. */
    public Score score(String difference) {
        return Score.of(numbers, difference);
    }
}
