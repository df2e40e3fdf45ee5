package io.thalweg.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps apart what Feast cannot: it knows a feature by 32 bits of a hash of its name, in a hash that all views of the same join
 * keys share, so that two names in some billion read each other's values.
 */
final class FeastFields {
    private final Map<List<FeastView.JoinKey>, Map<Integer, String>> taken = new HashMap<>();

    /** Takes the fields of a view; answers what is wrong where one of them is taken. */
    Optional<String> take(FeatureView view) {
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
