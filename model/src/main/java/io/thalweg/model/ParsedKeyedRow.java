package io.thalweg.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON row of a keyed view as read back.
 *
 * @param view qualified name
 * @param entities in the view's order: {@code String}, {@code Long} or {@code Boolean}
 * @param windowEndMs epoch ms
 * @param sequence 0 for FINAL rows
 * @param features in the order of the view: {@code Long}, {@code BigInteger} where it does not fit, {@code Double}, or null
 */
public record ParsedKeyedRow(
        String view,
        Map<String, Object> entities,
        long windowEndMs,
        Finality finality,
        long sequence,
        Map<String, @Nullable Number> features) {
    public ParsedKeyedRow {
        entities = Collections.unmodifiableMap(new LinkedHashMap<>(entities));
        features = Collections.unmodifiableMap(new LinkedHashMap<>(features));
    }
}
