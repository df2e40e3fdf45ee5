package io.thalweg.formats;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import io.thalweg.model.view.Lookup;
import io.thalweg.model.view.Measure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields that the views of one source name, each once: column {@code c} of {@link EventColumns} holds {@code paths().get(c)}.
 * Two paths are the same field if their segments are equal, however they are quoted. The columns of the events' own fields
 * precede those that lookups fill; a lookup that two views share runs once.
 *
 * <p><b>Names.</b> One view may use a name for a column of a lookup that is an event's own field in another view: {@link
 * #of(FeatureView)} resolves the names of a view.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Projection {
    private final Source.Encoding encoding;
    private final TextForm eventText;
    private final List<FeatureView> views;
    private final Map<List<String>, Integer> columns;
    private final List<FieldPath> paths;
    private final List<Join> joins;

    /**
     * A lookup and its columns.
     *
     * @param key the column of its key
     * @param first the column of its first field; the others follow
     */
    public record Join(Lookup lookup, int key, int first) {
        private int end() {
            return first + lookup.fields().size();
        }
    }

    private Projection(
            Source.Encoding encoding,
            TextForm eventText,
            List<FeatureView> views,
            Map<List<String>, Integer> columns,
            List<FieldPath> paths,
            List<Join> joins) {
        this.encoding = encoding;
        this.eventText = eventText;
        this.views = List.copyOf(views);
        this.columns = columns;
        this.paths = List.copyOf(paths);
        this.joins = List.copyOf(joins);
    }

    /**
     * Creates the union of the fields that the views need, in the order in which they name them.
     *
     * @throws IllegalArgumentException if there is no view or their sources differ in format or numbers
     */
    public static Projection of(List<FeatureView> views) {
        if (views.isEmpty()) {
            throw new IllegalArgumentException("a projection needs at least one view, was []");
        }
        Source first = views.get(0).source();
        Source.Format format = first.format();
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
            if (view.source().numbers() != first.numbers()) {
                throw new IllegalArgumentException(
                        "views read together must have one source.numbers, was %s in %s and %s in %s"
                                .formatted(
                                        first.numbers(),
                                        views.get(0).name(),
                                        view.source().numbers(),
                                        view.name()));
            }
            fields.addAll(ownFields(view));
        }
        Projection own = of(first.encoding(), eventText(first), fields);
        List<Join> joins = new ArrayList<>();
        for (FeatureView view : views) {
            own.join(view, joins);
        }
        return new Projection(first.encoding(), own.eventText, views, own.columns, own.paths, joins);
    }

    private static TextForm eventText(Source source) {
        if (source.format() == Source.Format.CSV) {
            return TextForm.UNTYPED;
        }
        return source.numbers() == Source.Numbers.LENIENT ? TextForm.LENIENT : TextForm.STRICT;
    }

    /** Creates a projection of these fields of a table, each once, in this order. */
    public static Projection of(Source.Format format, List<FieldPath> fields) {
        return of(new Source.Encoding(format, Source.Numbers.STRICT, null, Source.Compression.NONE), fields);
    }

    /** Creates a projection of these fields of events without a view, each once, in this order. */
    public static Projection of(Source.Encoding encoding, List<FieldPath> fields) {
        return of(encoding, TextForm.of(encoding.format() == Source.Format.CSV), fields);
    }

    private static Projection of(Source.Encoding encoding, TextForm eventText, List<FieldPath> fields) {
        Map<List<String>, Integer> columns = new LinkedHashMap<>();
        List<FieldPath> paths = new ArrayList<>();
        for (FieldPath path : fields) {
            if (columns.putIfAbsent(path.segments(), paths.size()) == null) {
                paths.add(path);
            }
        }
        return new Projection(encoding, eventText, List.of(), columns, paths, List.of());
    }

    /** Returns the same columns by their names in a view, with the joins of the view only. */
    public Projection of(FeatureView view) {
        return join(view, new ArrayList<>(joins));
    }

    /** Finds the joins of a view in {@code known}, or adds them; returns the columns as the view names them. */
    private Projection join(FeatureView view, List<Join> known) {
        Map<List<String>, Integer> named = new LinkedHashMap<>(columns);
        List<Join> own = new ArrayList<>();
        for (Lookup lookup : view.lookups()) {
            int key = column(lookup.key(), named);
            Join join = known.stream()
                    .filter(each -> each.key() == key && each.lookup().equals(lookup))
                    .findFirst()
                    .orElseGet(() -> new Join(lookup, key, end(known)));
            if (!known.contains(join)) {
                known.add(join);
            }
            own.add(join);
            for (int field = 0; field < lookup.fields().size(); field++) {
                named.put(lookup.fields().get(field).segments(), join.first() + field);
            }
        }
        return new Projection(encoding, eventText, List.of(view), named, paths, own);
    }

    private int end(List<Join> after) {
        return after.isEmpty() ? paths.size() : after.get(after.size() - 1).end();
    }

    /** The format of the events. */
    public Source.Format format() {
        return encoding.format();
    }

    /** How the events are written. */
    public Source.Encoding encoding() {
        return encoding;
    }

    /** The event time of the views; null if the fields are those of a table. */
    public Source.@Nullable EventTime eventTime() {
        return views.isEmpty() ? null : views.get(0).source().eventTime();
    }

    /** The views that name these fields. */
    List<FeatureView> views() {
        return views;
    }

    /** The events' own fields; the index is the column. */
    public List<FieldPath> paths() {
        return paths;
    }

    /** The joins, in the order in which they must run. */
    public List<Join> joins() {
        return joins;
    }

    /** The number of columns. */
    public int size() {
        return end(joins);
    }

    /**
     * Returns the column of {@code path}.
     *
     * @throws IllegalArgumentException if no view of this projection names the field
     */
    public int column(FieldPath path) {
        return column(path, columns);
    }

    private int column(FieldPath path, Map<List<String>, Integer> named) {
        Integer column = named.get(path.segments());
        if (column == null) {
            throw new IllegalArgumentException("no view names the field '" + path.text() + "', there are " + paths);
        }
        return column;
    }

    /**
     * Returns the types that text in the column may represent. Fields of CSV, {@code $key} and {@code $headers} have only text;
     * of other formats the source decides.
     */
    public TextForm textForm(int column) {
        if (column >= paths.size()) {
            return TextForm.of(joins.stream()
                    .filter(join -> join.first() <= column && column < join.end())
                    .anyMatch(join -> join.lookup().table().isUntyped()));
        }
        FieldPath path = paths.get(column);
        return switch (path.segments().get(0)) {
            case "$key", "$headers" -> TextForm.UNTYPED;
            case "$timestamp", "$partition" -> TextForm.TEXT;
            default -> eventText;
        };
    }

    /** The fields that a view reads from the events themselves. */
    private static List<FieldPath> ownFields(FeatureView view) {
        List<FieldPath> own = new ArrayList<>();
        add(own, view.source().eventTime().field());
        Set<List<String>> given = new HashSet<>();
        for (Lookup lookup : view.lookups()) {
            if (!given.contains(lookup.key().segments())) {
                own.add(lookup.key());
            }
            lookup.fields().forEach(field -> given.add(field.segments()));
        }
        fields(view).stream().filter(field -> !given.contains(field.segments())).forEach(own::add);
        return own;
    }

    private static List<FieldPath> fields(FeatureView view) {
        List<FieldPath> fields = new ArrayList<>();
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
