package io.thalweg.model;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A feature view: which events count, for which entities, measured how, over which rings and windows.
 *
 * <p><b>Shape.</b> Of a view with rings exactly one entity is an H3 cell ({@link Entity.Cell}); the others form the row's
 * group. Features stand rings outer, windows inner: feature {@code r * windows.sizes().size() + w}. A view without rings is
 * {@linkplain #isKeyed keyed}: its entities are fields, together the key; features stand measures outer, windows inner.
 *
 * <p><b>Threads.</b> Immutable, serializable.
 *
 * @param version a changed meaning needs a new one; see {@link #qualifiedName()}
 * @param lookups what events get from tables before anything is asked of them, one after the other
 * @param where all of them must hold for an event to be kept
 * @param entities join keys in the order of the definition
 * @param measure of a keyed view, that of the first of {@code measures}
 * @param measures of a keyed view; empty for one with rings
 * @param rings grid distances, ascending, distinct, each at least 0; empty for a keyed view
 * @param early how often keyed views publish changed keys of the window that is open, by processing time; null = never
 */
public record FeatureView(
        String name,
        int version,
        String description,
        Source source,
        List<Lookup> lookups,
        List<Condition> where,
        List<Entity> entities,
        Measure measure,
        List<NamedMeasure> measures,
        List<Integer> rings,
        Windows windows,
        @Nullable DurationText early,
        String deadLetterTopic,
        boolean failOnBadEvent,
        @Nullable SinkSpec sink,
        Online online)
        implements java.io.Serializable {

    public FeatureView {
        lookups = List.copyOf(lookups);
        where = List.copyOf(where);
        entities = List.copyOf(entities);
        measures = List.copyOf(measures);
        rings = List.copyOf(rings);
    }

    /** A view with rings and without lookups. */
    public FeatureView(
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
            Online online) {
        this(
                name,
                version,
                description,
                source,
                List.of(),
                where,
                entities,
                measure,
                List.of(),
                rings,
                windows,
                null,
                deadLetterTopic,
                failOnBadEvent,
                sink,
                online);
    }

    /**
     * A keyed view whose rows are those of a table: each by itself, at its own time, and its features are columns by their own
     * names.
     *
     * @param columns each measure a {@link Measure.Column}
     */
    public static FeatureView ofTable(
            String name,
            int version,
            String description,
            List<Entity> entities,
            List<NamedMeasure> columns,
            Online online) {
        return new FeatureView(
                name,
                version,
                description,
                Source.NONE,
                List.of(),
                List.of(),
                entities,
                new Measure.Count(),
                columns,
                List.of(),
                Windows.INSTANT,
                null,
                "",
                false,
                null,
                online);
    }

    /** Whether the view's rows are those of a table: then it has no events, and its window is a moment. */
    public boolean isTable() {
        return isKeyed() && measures.get(0).measure() instanceof Measure.Column;
    }

    /** Whether the view has keys and measures rather than cells and rings. */
    public boolean isKeyed() {
        return !measures.isEmpty();
    }

    /** {@code demand} for version 1, {@code demand_v2} for version 2: the name in rows, keys, URLs and metrics. */
    public String qualifiedName() {
        return version == 1 ? name : name + "_v" + version;
    }

    /** The same view with another topic or format for its rows. */
    public FeatureView withSink(@Nullable SinkSpec other) {
        return with(early, other, online);
    }

    /** The same view without early rows. */
    public FeatureView withoutEarly() {
        return with(null, sink, online);
    }

    /** The same view, kept otherwise. */
    public FeatureView withOnline(Online other) {
        return with(early, sink, other);
    }

    private FeatureView with(@Nullable DurationText otherEarly, @Nullable SinkSpec otherSink, Online otherOnline) {
        return new FeatureView(
                name,
                version,
                description,
                source,
                lookups,
                where,
                entities,
                measure,
                measures,
                rings,
                windows,
                otherEarly,
                deadLetterTopic,
                failOnBadEvent,
                otherSink,
                otherOnline);
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

    /** The entities that are not the cell, in order: the row's group, or a keyed view's key. */
    public List<Entity.Field> group() {
        return entities.stream()
                .filter(Entity.Field.class::isInstance)
                .map(Entity.Field.class::cast)
                .toList();
    }

    /**
     * Names as {@code k5_8m}, rings outer, windows inner; of a keyed view as {@code views_10s}, measures outer; of a table's its
     * columns'.
     */
    public List<String> featureNames() {
        if (isTable()) {
            return measures.stream().map(NamedMeasure::name).toList();
        }
        if (isKeyed()) {
            return measures.stream()
                    .flatMap(measure -> windows.sizes().stream().map(size -> measure.name() + "_" + size.text()))
                    .toList();
        }
        return rings.stream()
                .flatMap(ring -> windows.sizes().stream().map(size -> "k" + ring + "_" + size.text()))
                .toList();
    }

    /**
     * {@code int64} or {@code double}, of tables also {@code string} and {@code double_list}, for each of {@link
     * #featureNames()}; integer sums have up to 128 bits.
     */
    public List<String> featureTypes() {
        if (!isKeyed()) {
            return Collections.nCopies(rings.size() * windows.sizes().size(), "double");
        }
        return FeatureForm.of(this).stream().map(FeatureForm::type).toList();
    }
}
