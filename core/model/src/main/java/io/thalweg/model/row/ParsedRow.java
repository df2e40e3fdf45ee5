package io.thalweg.model.row;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON row as read back.
 *
 * @param view qualified name
 * @param entities in the view's order: a cell as {@code Long}, the others {@code String}, {@code Long} or {@code Boolean}
 * @param windowEndMs epoch ms
 * @param sequence 0 for FINAL rows
 * @param features {@code Long}, {@code BigInteger} if it does not fit, {@code Double}, or null; in the order of the line if the
 *     view has rings, otherwise in that of the view
 */
public record ParsedRow(
        String view,
        Map<String, Object> entities,
        long windowEndMs,
        Finality finality,
        long sequence,
        Map<String, @Nullable Number> features) {
    public ParsedRow {
        entities = Collections.unmodifiableMap(new LinkedHashMap<>(entities));
        features = Collections.unmodifiableMap(new LinkedHashMap<>(features));
    }
}
