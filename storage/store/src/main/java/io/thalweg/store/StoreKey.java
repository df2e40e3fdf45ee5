package io.thalweg.store;

import java.util.List;

/**
 * The key of a view's row.
 *
 * @param cell H3 index; 0 for keyed views
 * @param group values of the other entities in the view's order, typed as in {@link io.thalweg.model.row.HexRowBlock#group}
 */
public record StoreKey(long cell, List<Object> group) {
    public StoreKey {
        group = List.copyOf(group);
    }
}
