package io.thalweg.store;

import io.thalweg.kernel.keyed.KeyWord;
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

    /** Spreads cells, because those of a neighbourhood differ in a few bits only, and {@code Long.hashCode} maps many of them to one bucket. */
    @Override
    public int hashCode() {
        return 31 * (int) KeyWord.of(cell) + group.hashCode();
    }
}
