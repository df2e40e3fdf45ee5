package io.thalweg.bench.demand;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * One pipeline in many settings: every combination of the values that some dimensions take. A dimension is {@code speed} (how many
 * times the load of the scale is offered) or a component of {@link Setup}.
 */
public final class Sweep {
    private Sweep() {}

    /**
     * The runs of all combinations, by the name of their load; the values of the last dimension vary first.
     *
     * @param values of each dimension, separated by commas
     * @throws IllegalArgumentException if a value is missing, comes twice or is none of its dimension
     */
    public static Map<String, DemandRun> of(DemandRun base, Map<String, String> values) {
        Map<String, DemandRun> runs = new LinkedHashMap<>(Map.of(base.load().name(), base));
        for (Map.Entry<String, String> dimension : values.entrySet()) {
            List<String> each = List.of(dimension.getValue().split(",", -1));
            if (each.contains("") || new TreeSet<>(each).size() < each.size()) {
                throw new IllegalArgumentException("--vary %s needs different values, such as 1,2, had '%s'"
                        .formatted(dimension.getKey(), dimension.getValue()));
            }
            Map<String, DemandRun> more = new LinkedHashMap<>();
            for (String name : new ArrayList<>(runs.keySet())) {
                DemandRun run = Objects.requireNonNull(runs.get(name));
                each.forEach(value -> more.put(
                        "%s, %s %s".formatted(name, dimension.getKey(), label(value)),
                        run.with(dimension.getKey(), value)));
            }
            runs = more;
        }
        return runs;
    }

    /** Of the home of a JDK only its folder's name: results are read on other machines. */
    private static String label(String value) {
        return value.substring(value.lastIndexOf('/') + 1);
    }
}
