package io.thalweg.server.versions;

import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import java.util.List;

/** Checks whether a version of a view can replace another without a change to its readers. */
final class Replacement {
    private Replacement() {}

    /**
     * Requires that every read of one version is also a read of the other: it must have the same keys, and all features with the
     * same types. It may have more features.
     *
     * @throws VersionConflictException with the first difference
     */
    static void require(FeatureView present, FeatureView next) {
        List<String> keys = keys(present);
        if (!keys.equals(keys(next))) {
            throw conflict(present, next, "its keys are " + keys(next) + " instead of " + keys);
        }
        for (int i = 0; i < present.featureNames().size(); i++) {
            String feature = present.featureNames().get(i);
            int at = next.featureNames().indexOf(feature);
            if (at < 0) {
                throw conflict(present, next, "it has no feature " + feature);
            }
            String type = present.featureTypes().get(i);
            String other = next.featureTypes().get(at);
            if (!type.equals(other)) {
                throw conflict(present, next, "its feature " + feature + " is " + other + " instead of " + type);
            }
        }
    }

    private static List<String> keys(FeatureView view) {
        return view.entities().stream()
                .map(entity -> entity instanceof Entity.Cell cell
                        ? cell.name() + " (h3, resolution " + cell.resolution() + ")"
                        : entity.name() + " (" + ((Entity.Field) entity).type() + ")")
                .sorted()
                .toList();
    }

    private static VersionConflictException conflict(FeatureView present, FeatureView next, String difference) {
        return new VersionConflictException(
                "view %s cannot replace %s: %s, and clients that read %s would fail; keep what they read in %s, or let them name it"
                        .formatted(
                                next.qualifiedName(),
                                present.qualifiedName(),
                                difference,
                                present.name(),
                                next.qualifiedName()));
    }
}
