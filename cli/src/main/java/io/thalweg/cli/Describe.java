package io.thalweg.cli;

import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import java.util.stream.Collectors;

/** Views in words. */
final class Describe {
    private Describe() {}

    /** {@code cell (h3 9), product (uuid)}. */
    static String entities(FeatureView view) {
        return view.entities().stream().map(Describe::entity).collect(Collectors.joining(", "));
    }

    private static String entity(Entity entity) {
        String type = entity instanceof Entity.Field field
                ? field.type().text()
                : "h3 " + ((Entity.Cell) entity).resolution();
        return entity.name() + " (" + type + ")";
    }

    /** {@code 54 (9 rings × 6 windows)}. */
    static String features(FeatureView view) {
        int parts = view.isKeyed() ? view.measures().size() : view.rings().size();
        int windows = view.windows().sizes().size();
        String part = view.isKeyed() ? " measures × " : " rings × ";
        return parts * windows + " (" + parts + part + windows + " windows)";
    }

    /** {@code rider-events, json}. */
    static String source(FeatureView view) {
        return String.join(" + ", view.source().topics()) + ", "
                + view.source().format().name().toLowerCase(java.util.Locale.ROOT);
    }

    /** The topic of the rows, or {@code -}. */
    static String sink(FeatureView view) {
        return view.sink() == null ? "-" : view.sink().topic();
    }
}
