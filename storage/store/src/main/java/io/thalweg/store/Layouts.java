package io.thalweg.store;

import io.thalweg.model.view.FeatureView;

/** Checks which layouts a store supports. */
public final class Layouts {
    private Layouts() {}

    /**
     * Checks a view for a store that supports none of Feast's layouts.
     *
     * @param storeType as in {@code store.type}
     * @throws IllegalArgumentException if the view's layout is not {@code packed}
     */
    public static void requirePacked(FeatureView view, String storeType) {
        if (view.online().layout().isFeast()) {
            throw new IllegalArgumentException(
                    "view %s: online.layout must be packed with store.type: %s, was %s; use store.type: redis, or layout: packed"
                            .formatted(
                                    view.qualifiedName(),
                                    storeType,
                                    view.online().layout().text()));
        }
    }
}
