package io.thalweg.model.view;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Detects features that Feast cannot distinguish. Feast identifies a feature by a 32-bit hash of its name, within a Redis hash
 * that all views of the same join keys share, so two names in some billions would read each other's values.
 */
public final class FeastFields {
    private final Map<List<FeastView.JoinKey>, Map<Integer, String>> taken = new HashMap<>();

    /** Claims the fields of a view; returns the problem if one of them is already claimed. */
    public Optional<String> take(FeatureView view) {
        if (!view.online().layout().isFeast()) {
            return Optional.empty();
        }
        FeastView feast = FeastView.of(view);
        Map<Integer, String> fields = taken.computeIfAbsent(feast.joinKeys(), keys -> new HashMap<>());
        for (String feature : feast.features()) {
            String name = feast.name() + ":" + feature;
            String other = fields.putIfAbsent(feast.field(feature), name);
            if (other != null && !other.equals(name)) {
                return Optional.of("has a feature that Feast cannot tell from another of the same entities: '" + name
                        + "' and '" + other
                        + "' have the same hash; rename a view or a measure, or use online.layout: packed");
            }
        }
        return Optional.empty();
    }
}
