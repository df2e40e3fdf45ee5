package io.thalweg.bench.harness;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The cost of one contestant's work, once.
 *
 * @param figures by names that end in their units
 * @param difference how its rows differ from the expected ones, or why it does not count; empty otherwise
 */
public record Score(LinkedHashMap<String, Number> figures, String difference) {
    /** Copies the figures. */
    public static Score of(Map<String, ? extends Number> figures, String difference) {
        return new Score(new LinkedHashMap<>(figures), difference);
    }
}
