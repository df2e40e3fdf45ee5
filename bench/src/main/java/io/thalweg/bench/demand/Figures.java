package io.thalweg.bench.demand;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Numbers by their names, which end in their units, in the order in which they are shown. */
final class Figures {
    private final Map<String, Number> numbers = new LinkedHashMap<>();

    Figures put(String name, double value) {
        numbers.put(name, Math.rint(value * 1_000) / 1_000);
        return this;
    }

    Figures put(String name, long value) {
        numbers.put(name, value);
        return this;
    }

    /** Median, 99th percentile (nearest rank) and maximum of some latencies, as {@code name_p50_ms} and so on. */
    Figures latencies(String name, long[] millis) {
        long[] sorted = millis.clone();
        Arrays.sort(sorted);
        if (sorted.length > 0) {
            put(name + "_p50_ms", rank(sorted, 0.5));
            put(name + "_p99_ms", rank(sorted, 0.99));
            put(name + "_max_ms", sorted[sorted.length - 1]);
        }
        return this;
    }

    /** The same of nanoseconds. */
    Figures nanos(String name, List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        if (sorted.length > 0) {
            put(name + "_p50_ms", rank(sorted, 0.5) / 1e6);
            put(name + "_p99_ms", rank(sorted, 0.99) / 1e6);
            put(name + "_max_ms", sorted[sorted.length - 1] / 1e6);
        }
        return this;
    }

    private static long rank(long[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }

    Map<String, Number> asMap() {
        return new LinkedHashMap<>(numbers);
    }
}
