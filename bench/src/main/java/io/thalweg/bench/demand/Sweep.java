package io.thalweg.bench.demand;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One pipeline in many settings: all combinations of the values of some dimensions. A dimension is {@code speed} (a multiple of
 * the scale's load) or a component of {@link Setup}.
 */
public final class Sweep {
    private Sweep() {}

    /**
     * Returns the runs of all combinations, by the name of their load; the values of the last dimension vary first.
     *
     * @param vary {@code DIMENSION=VALUE,…} for each dimension
     * @throws IllegalArgumentException if a dimension is unknown or repeated, or a value is repeated or invalid
     */
    public static Map<String, DemandRun> of(DemandRun base, List<String> vary) {
        Map<String, DemandRun> runs = new LinkedHashMap<>(Map.of(base.load().name(), base));
        Set<String> seen = new HashSet<>();
        for (String each : vary) {
            String[] parts = each.split("=", 2);
            if (parts.length < 2 || !seen.add(parts[0])) {
                throw new IllegalArgumentException(
                        "--vary must be DIMENSION=VALUE,… with each dimension once, such as speed=4,8, was '%s'"
                                .formatted(each));
            }
            Map<String, DemandRun> more = new LinkedHashMap<>();
            runs.forEach((name, run) -> {
                for (String value : parts[1].split(",", -1)) {
                    String label = "%s, %s %s".formatted(name, parts[0], label(value));
                    if (more.put(label, run.with(parts[0], value)) != null) {
                        throw new IllegalArgumentException(
                                "--vary %s has the value %s twice".formatted(each, label(value)));
                    }
                }
            });
            runs = more;
        }
        return runs;
    }

    /** Returns a value; of the home of a JDK only the folder's name, because results are read on other machines. */
    private static String label(String value) {
        return String.valueOf(Path.of(value).getFileName());
    }
}
