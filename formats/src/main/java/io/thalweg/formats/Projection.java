package io.thalweg.formats;

import io.thalweg.model.Condition;
import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import io.thalweg.model.FieldPath;
import io.thalweg.model.KeyedPlan;
import io.thalweg.model.Measure;
import io.thalweg.model.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields that the views of one source name, each once: column {@code c} of {@link EventColumns} holds {@code
 * paths().get(c)}. Two paths are the same field if their segments are, however they are quoted.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Projection {
    private final Source.Format format;
    private final Map<List<String>, Integer> columns;
    private final List<FieldPath> paths;

    private Projection(Source.Format format, Map<List<String>, Integer> columns, List<FieldPath> paths) {
        this.format = format;
        this.columns = columns;
        this.paths = List.copyOf(paths);
    }

    /**
     * The union of what the views need, in the order they name it.
     *
     * @throws IllegalArgumentException if there is no view or their sources differ in format
     */
    public static Projection of(List<FeatureView> views) {
        if (views.isEmpty()) {
            throw new IllegalArgumentException("a projection needs at least one view, was []");
        }
        Source.Format format = views.get(0).source().format();
        List<FieldPath> fields = new ArrayList<>();
        for (FeatureView view : views) {
            if (view.source().format() != format) {
                throw new IllegalArgumentException(
                        "views read together must have one source.format, was %s in %s and %s in %s"
                                .formatted(
                                        format,
                                        views.get(0).name(),
                                        view.source().format(),
                                        view.name()));
            }
            fields.addAll(fields(view));
        }
        return of(format, fields);
    }

    /** These fields, each once, in this order. */
    static Projection of(Source.Format format, List<FieldPath> fields) {
        Map<List<String>, Integer> columns = new LinkedHashMap<>();
        List<FieldPath> paths = new ArrayList<>();
        for (FieldPath path : fields) {
            if (columns.putIfAbsent(path.segments(), paths.size()) == null) {
                paths.add(path);
            }
        }
        return new Projection(format, columns, paths);
    }

    /** How the events are written. */
    public Source.Format format() {
        return format;
    }

    /** The named fields; the index is the column. */
    public List<FieldPath> paths() {
        return paths;
    }

    /** The number of columns. */
    public int size() {
        return paths.size();
    }

    /**
     * The column of {@code path}.
     *
     * @throws IllegalArgumentException if no view of this projection names the field
     */
    public int column(FieldPath path) {
        Integer column = columns.get(path.segments());
        if (column == null) {
            throw new IllegalArgumentException("no view names the field '" + path.text() + "', there are " + paths);
        }
        return column;
    }

    /**
     * Whether the column knows text only, as every field of CSV, {@code $key} and {@code $headers}: then text that is a
     * number is taken where a number is needed.
     */
    public boolean isUntyped(int column) {
        FieldPath path = paths.get(column);
        return switch (path.segments().get(0)) {
            case "$key", "$headers" -> true;
            case "$timestamp", "$partition" -> false;
            default -> format == Source.Format.CSV;
        };
    }

    private static List<FieldPath> fields(FeatureView view) {
        List<FieldPath> fields = new ArrayList<>();
        add(fields, view.source().eventTime().field());
        for (Condition condition : view.where()) {
            fields.add(condition.field());
        }
        for (Entity entity : view.entities()) {
            if (entity instanceof Entity.Cell cell) {
                add(fields, cell.lat());
                add(fields, cell.lng());
                add(fields, cell.cell());
            } else if (entity instanceof Entity.Field field) {
                fields.add(field.field());
            }
        }
        if (view.isKeyed()) {
            KeyedPlan plan = KeyedPlan.of(view);
            plan.filters().forEach(filter -> filter.forEach(condition -> fields.add(condition.field())));
            plan.inputs().forEach(input -> fields.add(input.field()));
        } else if (view.measure() instanceof Measure.CountDistinct distinct) {
            fields.add(distinct.field());
        }
        return fields;
    }

    private static void add(List<FieldPath> fields, @Nullable FieldPath field) {
        if (field != null) {
            fields.add(field);
        }
    }
}
