package io.thalweg.model.view;

import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.field.Condition;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.Computation.OfKeys;
import io.thalweg.model.view.Computation.OfRings;
import io.thalweg.model.view.Computation.OfTable;
import io.thalweg.model.view.Computation.OverEvents;
import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A feature view: features of some entities, how they are computed, and where they are written.
 *
 * <p><b>Errors.</b> Accessors of parts that the view's computation lacks throw IllegalStateException.
 *
 * <p><b>Threads.</b> Immutable, serializable.
 *
 * @param version must change with the meaning; see {@link #qualifiedName()}
 * @param entities join keys in the order of the definition
 * @param offline the view's feature log; null = none
 */
public record FeatureView(
        String name,
        int version,
        String description,
        List<Entity> entities,
        Computation computation,
        @Nullable SinkSpec sink,
        Online online,
        @Nullable OfflineSpec offline)
        implements Serializable {
    /** The rows of a table describe instants with a resolution of a millisecond. */
    private static final PaneClock MOMENTS = new PaneClock(1);

    public FeatureView {
        entities = List.copyOf(entities);
    }

    /** Creates a view without a feature log. */
    public FeatureView(
            String name,
            int version,
            String description,
            List<Entity> entities,
            Computation computation,
            @Nullable SinkSpec sink,
            Online online) {
        this(name, version, description, entities, computation, sink, online, null);
    }

    /** Whether the view has keys rather than cells: measures per key, or the rows of a table. */
    public boolean isKeyed() {
        return !(computation instanceof OfRings);
    }

    /** Whether the view's rows are those of a table. */
    public boolean isTable() {
        return computation instanceof OfTable;
    }

    /** {@code demand} for version 1, {@code demand_v2} for version 2: the name in rows, keys, URLs and metrics. */
    public String qualifiedName() {
        return version == 1 ? name : name + "_v" + version;
    }

    /** Returns the same view with another topic or format for its rows. */
    public FeatureView withSink(@Nullable SinkSpec other) {
        return new FeatureView(name, version, description, entities, computation, other, online, offline);
    }

    /** Returns the same view with other settings of the online store. */
    public FeatureView withOnline(Online other) {
        return new FeatureView(name, version, description, entities, computation, sink, other, offline);
    }

    /** Returns the same view with another feature log; null = none. */
    public FeatureView withOffline(@Nullable OfflineSpec other) {
        return new FeatureView(name, version, description, entities, computation, sink, online, other);
    }

    /** Returns the same view with other features. */
    public FeatureView withComputation(Computation other) {
        return new FeatureView(name, version, description, entities, other, sink, online, offline);
    }

    /**
     * Returns the same view over events of another source.
     *
     * @throws IllegalStateException if the view is a table
     */
    public FeatureView withSource(Source other) {
        if (computation instanceof OfRings rings) {
            return withComputation(
                    new OfRings(rings.events().withSource(other), rings.measure(), rings.rings(), rings.windows()));
        }
        if (computation instanceof OfKeys keys) {
            return withComputation(
                    new OfKeys(keys.events().withSource(other), keys.measures(), keys.windows(), keys.early()));
        }
        throw new IllegalStateException("view " + name + " is a table: it has no events");
    }

    /** Returns the same view without early rows. */
    public FeatureView withoutEarly() {
        return computation instanceof OfKeys keys
                ? withComputation(new OfKeys(keys.events(), keys.measures(), keys.windows(), null))
                : this;
    }

    private OverEvents overEvents() {
        if (computation instanceof OverEvents events) {
            return events;
        }
        throw new IllegalStateException("view " + name + " is a table: it has no events");
    }

    private OfRings ofRings() {
        if (computation instanceof OfRings rings) {
            return rings;
        }
        throw new IllegalStateException("view " + name + " has no rings");
    }

    /** The source of the events. */
    public Source source() {
        return overEvents().events().source();
    }

    /** The types of the fields of events, as in {@link EventInput#types}. */
    public Map<String, String> types() {
        return overEvents().events().types();
    }

    /** The lookups that add fields to events, in the order in which they run. */
    public List<Lookup> lookups() {
        return overEvents().events().lookups();
    }

    /** Conditions that must all hold for an event to be kept. */
    public List<Condition> where() {
        return overEvents().events().where();
    }

    /** The topic that bad and late events are written to. */
    public String deadLetterTopic() {
        return overEvents().events().deadLetterTopic();
    }

    /** Whether a bad event ends the job. */
    public boolean failOnBadEvent() {
        return overEvents().events().failOnBadEvent();
    }

    /** The windows of a view over events. */
    public Windows windows() {
        return overEvents().windows();
    }

    /** The measure per cell. */
    public Measure measure() {
        return ofRings().measure();
    }

    /** Grid distances, ascending, distinct, each at least 0. */
    public List<Integer> rings() {
        return ofRings().rings();
    }

    /** The measures per key. */
    public List<NamedMeasure> measures() {
        if (computation instanceof OfKeys keys) {
            return keys.measures();
        }
        throw new IllegalStateException("view " + name + " has no measures per key");
    }

    /** The columns of a table. */
    public List<Computation.Column> columns() {
        if (computation instanceof OfTable table) {
            return table.columns();
        }
        throw new IllegalStateException("view " + name + " is not a table");
    }

    /** How often changed keys of the open window are published, by processing time; null = never. */
    public @Nullable DurationText early() {
        return computation instanceof OfKeys keys ? keys.early() : null;
    }

    /** The arithmetic of row times: window ends, or the instants of a table's rows. */
    public PaneClock clock() {
        return computation instanceof OverEvents events ? events.windows().clock() : MOMENTS;
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

    /** Names of the features, in their order. */
    public List<String> featureNames() {
        return computation.featureNames();
    }

    /**
     * {@code int64} or {@code double}, of tables also {@code string} and {@code double_list}, for each of {@link
     * #featureNames()}; integer sums have up to 128 bits.
     */
    public List<String> featureTypes() {
        return computation.featureTypes(this);
    }
}
