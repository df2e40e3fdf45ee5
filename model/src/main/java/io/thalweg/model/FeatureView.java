package io.thalweg.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A feature view: which events count, for which entities, measured how, over which rings and windows.
 *
 * <p><b>Shape.</b> Exactly one entity is an H3 cell ({@link Entity.Cell}); the others form the row's group. Features stand
 * rings outer, windows inner: feature {@code r * windows.sizes().size() + w}.
 *
 * <p><b>Threads.</b> Immutable, serializable.
 *
 * @param version a changed meaning needs a new one; see {@link #qualifiedName()}
 * @param where all of them must hold for an event to be kept
 * @param entities join keys in the order of the definition
 * @param rings grid distances, ascending, distinct, each at least 0
 */
public record FeatureView(
        String name,
        int version,
        String description,
        Source source,
        List<Condition> where,
        List<Entity> entities,
        Measure measure,
        List<Integer> rings,
        Windows windows,
        String deadLetterTopic,
        boolean failOnBadEvent,
        @Nullable SinkSpec sink,
        Online online)
        implements java.io.Serializable {

    public FeatureView {
        where = List.copyOf(where);
        entities = List.copyOf(entities);
        rings = List.copyOf(rings);
    }

    /** {@code demand} for version 1, {@code demand_v2} for version 2: the name in rows, keys, URLs and metrics. */
    public String qualifiedName() {
        return version == 1 ? name : name + "_v" + version;
    }

    /** The same view with another topic or format for its rows. */
    public FeatureView withSink(@Nullable SinkSpec other) {
        return new FeatureView(
                name,
                version,
                description,
                source,
                where,
                entities,
                measure,
                rings,
                windows,
                deadLetterTopic,
                failOnBadEvent,
                other,
                online);
    }

    /** The one H3 entity. */
    public Entity.Cell cell() {
        for (Entity entity : entities) {
            if (entity instanceof Entity.Cell cell) {
                return cell;
            }
        }
        throw new IllegalStateException("view " + name + " has no h3 entity");
    }

    /** The entities that are not the cell, in order: the row's group. */
    public List<Entity.Field> group() {
        return entities.stream()
                .filter(Entity.Field.class::isInstance)
                .map(Entity.Field.class::cast)
                .toList();
    }

    /** Names as {@code k5_8m}, rings outer, windows inner. */
    public List<String> featureNames() {
        return rings.stream()
                .flatMap(ring -> windows.sizes().stream().map(size -> "k" + ring + "_" + size.text()))
                .toList();
    }
}
