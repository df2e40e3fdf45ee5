package io.thalweg.model.view;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.view.Measure.ColumnType;
import io.thalweg.model.yaml.DurationText;
import java.io.Serializable;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How the features of a view are computed. This type captures the differences between kinds of view. */
public sealed interface Computation extends Serializable {
    /** The names of the features, in their order. */
    List<String> featureNames();

    /** The types of the features: {@code int64}, {@code double}, {@code string} or {@code double_list}. */
    List<String> featureTypes(FeatureView view);

    /** A computation over events, in windows. */
    sealed interface OverEvents extends Computation {
        EventInput events();

        Windows windows();

        /** Returns the names of each part and each window, windows inner. */
        private List<String> names(Stream<String> parts) {
            return parts.flatMap(part -> windows().sizes().stream().map(size -> part + "_" + size.text()))
                    .toList();
        }
    }

    /**
     * A measure per cell, smoothed over rings of neighbours. One entity of the view is an H3 cell; the others are the row's group.
     * Features are named {@code k5_8m}, rings outer.
     *
     * @param rings grid distances, ascending, distinct, each at least 0
     */
    record OfRings(EventInput events, Measure measure, List<Integer> rings, Windows windows) implements OverEvents {
        public OfRings {
            rings = List.copyOf(rings);
        }

        @Override
        public List<String> featureNames() {
            return OverEvents.super.names(rings.stream().map(ring -> "k" + ring));
        }

        @Override
        public List<String> featureTypes(FeatureView view) {
            return Collections.nCopies(rings.size() * windows.sizes().size(), "double");
        }
    }

    /**
     * Measures per key; the view's entities are fields, together the key. Features are named {@code views_10s}, measures outer.
     *
     * @param early how often changed keys of the open window are published, by processing time; null = never
     */
    record OfKeys(
            EventInput events,
            List<NamedMeasure> measures,
            Windows windows,
            @Nullable DurationText early) implements OverEvents {
        public OfKeys {
            measures = List.copyOf(measures);
        }

        @Override
        public List<String> featureNames() {
            return OverEvents.super.names(measures.stream().map(NamedMeasure::name));
        }

        @Override
        public List<String> featureTypes(FeatureView view) {
            return FeatureForm.of(view).stream().map(FeatureForm::type).toList();
        }
    }

    /** The rows of a table, each taken separately at its own time; the view's entities are fields, together the key. */
    record OfTable(List<Column> columns) implements Computation {
        public OfTable {
            columns = List.copyOf(columns);
        }

        @Override
        public List<String> featureNames() {
            return columns.stream().map(Column::name).toList();
        }

        @Override
        public List<String> featureTypes(FeatureView view) {
            return FeatureForm.of(view).stream().map(FeatureForm::type).toList();
        }
    }

    /**
     * A column of a table that becomes a feature unchanged.
     *
     * @param field where the value is in a row of the table
     */
    record Column(String name, FieldPath field, ColumnType type) implements Serializable {}
}
