package io.thalweg.model;

import java.util.Map;

/**
 * A JSON row as read back.
 *
 * @param view qualified name
 * @param entities in the view's order; the cell as {@code Long}, the others as in {@link RowBlock#group}
 * @param windowEndMs epoch ms
 * @param features in the order of the line
 */
public record ParsedRow(
        String view, Map<String, Object> entities, long windowEndMs, Finality finality, Map<String, Double> features) {}
