package io.thalweg.model.view;

import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Everything that determines the meaning of a view's state, as readable text, so that a job refuses state with another meaning.
 * Rings and windows are included but compared separately: they may shrink, and growing them restarts the warm-up, as does any
 * change of the windows of a keyed view.
 *
 * <p><b>Shape.</b> Lines {@code key=value}, the same keys in the same order, {@code numbers} and {@code lookup} only where they
 * differ from the default, {@code schema} only for events that are read with one; the first is {@code fingerprint=1}. A table has
 * {@code entities} and {@code features}.
 */
public final class ViewFingerprint {
    /** The frozen 128-bit hash that replaces identities that are text. */
    public static final String ID_HASH = "murmur3-x64-128-seed-0";

    private static final String RINGS = "rings";
    private static final String WINDOWS = "windows";
    private static final String SCHEMA = "schema";

    /** The effect of changed rings and windows on the kept state. */
    public enum Growth {
        /** The same, or fewer: the state contains everything that is needed. */
        NONE,
        /** Larger rings or windows: the view warms up again before its first rows. */
        RESTARTS_WARM_UP
    }

    private ViewFingerprint() {}

    /** Returns the fingerprint of a view. */
    public static String of(FeatureView view) {
        return text(fields(view));
    }

    /** Returns the fingerprint of a view as a server knows it: without {@code schema}, because servers do not read schemas of events. */
    public static String ofServed(FeatureView view) {
        Map<String, String> fields = fields(view);
        fields.remove(SCHEMA);
        return text(fields);
    }

    private static String text(Map<String, String> fields) {
        return fields.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining("\n"));
    }

    /**
     * Returns why state with this fingerprint cannot serve a view, with the changes and the remedy; empty if it can.
     *
     * @throws IllegalArgumentException if {@code kept} is not a fingerprint
     */
    public static Optional<String> incompatibility(String kept, FeatureView now) {
        Map<String, String> before = parse(kept);
        Map<String, String> after = fields(now);
        TreeSet<String> keys = new TreeSet<>(before.keySet());
        keys.addAll(after.keySet());
        List<String> changes = keys.stream()
                .filter(key -> !key.equals(RINGS) && !key.equals(WINDOWS))
                .filter(key -> !before.getOrDefault(key, "").equals(after.getOrDefault(key, "")))
                .map(key -> "%s was %s, is %s"
                        .formatted(key, before.getOrDefault(key, "absent"), after.getOrDefault(key, "absent")))
                .toList();
        if (changes.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                "view %s: the kept state has another meaning: %s; raise version to %d, or start with --resume none"
                        .formatted(now.qualifiedName(), String.join("; ", changes), now.version() + 1L));
    }

    /**
     * Returns whether a view's rings or windows extend beyond those of the state with this fingerprint.
     *
     * @throws IllegalArgumentException if {@code kept} is not a fingerprint
     */
    public static Growth growth(String kept, FeatureView now) {
        Map<String, String> before = parse(kept);
        Map<String, String> after = fields(now);
        if (now.isKeyed() && !before.getOrDefault(WINDOWS, "").equals(after.getOrDefault(WINDOWS, ""))) {
            return Growth.RESTARTS_WARM_UP; // totals are kept for each window
        }
        boolean grows =
                largest(after, RINGS) > largest(before, RINGS) || largest(after, WINDOWS) > largest(before, WINDOWS);
        return grows ? Growth.RESTARTS_WARM_UP : Growth.NONE;
    }

    private static Map<String, String> fields(FeatureView view) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("fingerprint", "1");
        if (view.isTable()) {
            fields.put("entities", entities(view));
            fields.put(
                    "features",
                    view.columns().stream()
                            .map(column ->
                                    path(column.field()) + " " + column.type().text())
                            .collect(Collectors.joining(", ", "[", "]")));
            fields.put(RINGS, "");
            fields.put(WINDOWS, "");
            return fields;
        }
        fields.put("topics", texts(view.source().topics()));
        fields.put("kafka", text(view.source().kafka()));
        fields.put("format", view.source().format().name().toLowerCase(java.util.Locale.ROOT));
        if (view.source().numbers() != Source.Numbers.STRICT) {
            fields.put("numbers", view.source().numbers().name().toLowerCase(java.util.Locale.ROOT));
        }
        if (view.source().hasSchema()) {
            fields.put(SCHEMA, types(view.types()));
        }
        fields.put("event_time", eventTime(view.source().eventTime()));
        if (!view.lookups().isEmpty()) {
            fields.put("lookup", lookups(view.lookups()));
        }
        fields.put("where", conditions(view.where()));
        fields.put("entities", entities(view));
        fields.put("measure", view.isKeyed() ? measures(view.measures()) : measure(view.measure()));
        fields.put("every", view.windows().every().millis() + "ms");
        fields.put("id_hash", ID_HASH);
        List<Integer> rings = view.isKeyed() ? List.of() : view.rings();
        fields.put(RINGS, rings.stream().map(String::valueOf).collect(Collectors.joining(",")));
        fields.put(
                WINDOWS,
                view.windows().sizes().stream()
                        .map(size -> String.valueOf(size.millis()))
                        .collect(Collectors.joining(",")));
        return fields;
    }

    private static Map<String, String> parse(String kept) {
        Map<String, String> fields = new LinkedHashMap<>();
        kept.lines().forEach(line -> {
            int equals = line.indexOf('=');
            fields.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
        });
        if (!fields.containsKey("fingerprint") || !fields.containsKey(RINGS) || !fields.containsKey(WINDOWS)) {
            throw new IllegalArgumentException("not a view's fingerprint: '" + kept + "'");
        }
        return fields;
    }

    private static long largest(Map<String, String> fields, String key) {
        String list = fields.getOrDefault(key, "");
        return list.isEmpty() ? 0 : Long.parseLong(list.substring(list.lastIndexOf(',') + 1));
    }

    private static String eventTime(Source.EventTime time) {
        FieldPath field = time.field();
        return (field == null ? "$timestamp" : path(field)) + " "
                + time.unit().name().toLowerCase(java.util.Locale.ROOT)
                + (time.zone() == null ? "" : " zone " + time.zone());
    }

    /** Describes lookups without the location of their tables, because a table may move. */
    private static String lookups(List<Lookup> lookups) {
        return lookups.stream()
                .map(lookup -> path(lookup.key()) + ": "
                        + lookup.fields().stream().map(ViewFingerprint::path).collect(Collectors.joining(" "))
                        + (lookup.dropsMisses() ? " or drop" : ""))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String entities(FeatureView view) {
        return view.entities().stream().map(ViewFingerprint::entity).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String entity(Entity entity) {
        if (entity instanceof Entity.Field field) {
            return "%s: %s %s"
                    .formatted(field.name(), path(field.field()), field.type().text());
        }
        Entity.Cell cell = (Entity.Cell) entity;
        FieldPath lat = cell.lat();
        FieldPath lng = cell.lng();
        FieldPath ready = cell.cell();
        String from = lat != null && lng != null ? path(lat) + " " + path(lng) : ready == null ? "?" : path(ready);
        return "%s: h3 %s resolution %d".formatted(cell.name(), from, cell.resolution());
    }

    /** Describes measures in order, because partial values are stored in it, and without their names. */
    private static String measures(List<NamedMeasure> measures) {
        return measures.stream()
                .map(measure -> measure(measure.measure())
                        + (measure.where().isEmpty() ? "" : " where " + conditions(measure.where()))
                        + (measure.perMinute() ? " per minute" : ""))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    private static String conditions(List<Condition> conditions) {
        return conditions.stream()
                .map(ViewFingerprint::condition)
                .sorted()
                .collect(Collectors.joining(" and ", "[", "]"));
    }

    private static String measure(Measure measure) {
        if (measure instanceof Measure.CountDistinct distinct) {
            return "count_distinct " + path(distinct.field()) + " "
                    + distinct.type().text();
        }
        if (measure instanceof Measure.OfNumbers numbers) {
            return numbers.function().text() + " " + path(numbers.field()) + " "
                    + numbers.type().text();
        }
        return "count all";
    }

    private static String condition(Condition condition) {
        String field = path(condition.field()) + " ";
        if (condition instanceof Condition.In in) {
            return field + "in " + values(in.values());
        }
        if (condition instanceof Condition.NotIn not) {
            return field + "not in " + values(not.values());
        }
        if (condition instanceof Condition.Exists exists) {
            return field + (exists.exists() ? "exists" : "is missing");
        }
        Condition.Range range = (Condition.Range) condition;
        return field + "gt " + range.gt() + " gte " + range.gte() + " lt " + range.lt() + " lte " + range.lte();
    }

    /** Sorts the listed values, because their order has no meaning. */
    private static String values(List<?> values) {
        return values.stream()
                .map(value -> value instanceof String text ? text(text) : String.valueOf(value))
                .sorted()
                .distinct()
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** Describes only fields that the view names; others may be added and removed. */
    private static String types(Map<String, String> types) {
        return types.entrySet().stream()
                .map(field -> field.getKey() + " " + field.getValue())
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns the quoted segments, joined by dots. */
    static String path(FieldPath path) {
        return path.segments().stream().map(ViewFingerprint::text).collect(Collectors.joining("."));
    }

    private static String texts(List<String> texts) {
        return texts.stream().map(ViewFingerprint::text).sorted().collect(Collectors.joining(",", "[", "]"));
    }

    /** Quotes a text as in JSON, so that it can neither pass for two texts nor break a line. */
    static String text(String text) {
        Bytes out = new Bytes(text.length() + 16);
        JsonText.string(text, out);
        return out.utf8();
    }
}
