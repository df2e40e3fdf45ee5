package io.thalweg.store;

import io.thalweg.model.FeatureView;

/** Which stores keep rows as another reader than Thalweg expects them. */
public final class Layouts {
    private Layouts() {}

    /**
     * For stores that Feast's clients do not read through Thalweg's layouts.
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
