package io.thalweg.model.table;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.source.Source;
import io.thalweg.model.source.SourceReader;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.FeatureViewReader;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.Online;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.SiblingPaths;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads a document of kind Materialization. */
public final class MaterializationReader {
    static final int FEATURES_MAX = 1_000;

    private static final String SOURCE =
            "{parquet: /lake/driver_stats}, {iceberg: /lake/driver_stats} or {csv: stats.csv}";
    private static final String[] LATER_TYPES = {"uuid", "timestamp", "list", "int64_list", "string_list"};

    private final YamlMap map;

    public MaterializationReader(YamlMap map) {
        this.map = map;
    }

    public Materialization read() {
        map.optional("apiVersion");
        map.optional("kind");
        Optional<YamlValue> features = map.required("features", "[trips, {name: rating, field: avg_rating}]");
        Table.@Nullable Text text = features.filter(YamlValue::isMap)
                .map(value -> text(value.map()))
                .orElse(null);
        List<Computation.Column> columns =
                features.map(MaterializationReader::columns).orElse(List.of());
        Optional<YamlValue> online = map.optional("online");
        Online kept = online.map(MaterializationReader::online).orElse(new Online(DurationText.parse("7d"), null));
        if (kept.layout() == Online.Layout.FEAST_ARRAY) {
            online.ifPresent(value -> requireNumbers(columns, value));
        }
        FeatureView view = new FeatureView(
                map.required("name", "driver_stats").map(YamlValue::name).orElse(""),
                map.optional("version")
                        .map(version -> version.integer(1, Integer.MAX_VALUE))
                        .orElse(1),
                map.optional("description").map(YamlValue::text).orElse(""),
                map.required("entities", "[{name: driver, field: driver_id, type: int64}]")
                        .map(MaterializationReader::entities)
                        .orElse(List.of()),
                new Computation.OfTable(columns),
                null,
                kept);
        Materialization read = new Materialization(FeatureViewReader.withOffline(view, map), table(text));
        map.close();
        return read;
    }

    private static void requireNumbers(List<Computation.Column> columns, YamlValue online) {
        columns.stream()
                .filter(column -> !column.type().isNumber())
                .findFirst()
                .ifPresent(column -> online.problem("layout: feast-array is one list of numbers, and feature "
                        + column.name() + " is none; use feast-scalars"));
    }

    private Table table(Table.@Nullable Text text) {
        Optional<YamlValue> source = map.required("source", SOURCE);
        Source.@Nullable EventTime time =
                map.optional("event_time").map(SourceReader::eventTime).orElse(null);
        if (source.isEmpty()) {
            return new Table(Table.Format.PARQUET, "?", "?", List.of(), text, time);
        }
        YamlMap table = source.get().map();
        Map<Table.Format, YamlValue> paths = new EnumMap<>(Table.Format.class);
        for (Table.Format format : Table.Format.values()) {
            table.optional(format.text()).ifPresent(path -> paths.put(format, path));
        }
        if (source.get().isMap() && paths.size() != 1) {
            source.get().wrong("one of " + SOURCE);
        }
        Table.Format format = paths.isEmpty()
                ? Table.Format.PARQUET
                : paths.keySet().iterator().next();
        Optional<YamlValue> path = Optional.ofNullable(paths.get(format));
        Table read = new Table(
                format,
                path.filter(YamlValue::isText).map(YamlValue::text).orElse("?"),
                path.map(SiblingPaths::readLocal).orElse("?"),
                table.optional("partitions")
                        .map(MaterializationReader::partitions)
                        .orElse(List.of()),
                text,
                time);
        table.close();
        return read;
    }

    private static List<String> partitions(YamlValue value) {
        List<String> names = new ArrayList<>();
        for (YamlValue element : value.list()) {
            String name = element.text();
            if (element.isText() && !name.matches("[^=/\\s]+")) {
                element.wrong("the name of a partition column such as dt");
            } else if (names.contains(name)) {
                element.problem("the partition column " + name + " is there twice; keep one");
            }
            names.add(name);
        }
        return names;
    }

    private static List<Entity> entities(YamlValue value) {
        for (YamlValue element : value.isList() ? value.list() : List.<YamlValue>of()) {
            if (element.isMap() && element.map().has("h3")) {
                element.problem("h3 is not supported in materializations; take the cell's index from a column:"
                        + " {name: cell, field: cell, type: string}");
            }
        }
        return FeatureViewReader.entities(value, true);
    }

    /** Reads {@code {text: kv, entry: ",", pair: "=", names: […]}}. */
    private static Table.Text text(YamlMap map) {
        FieldPath field = map.required("text", "kv").map(FieldPaths::read).orElse(FieldPaths.UNKNOWN);
        String entry =
                map.optional("entry").map(MaterializationReader::separator).orElse(",");
        String pair = map.optional("pair").map(MaterializationReader::separator).orElse("=");
        if (entry.equals(pair)) {
            map.self().problem("entry and pair must differ, both were '" + entry + "'");
        }
        return new Table.Text(field, entry, pair);
    }

    private static String separator(YamlValue value) {
        String text = value.text();
        if (value.isText() && text.isEmpty()) {
            value.wrong("text of at least one character such as \",\"");
        }
        return text;
    }

    private static List<Computation.Column> columns(YamlValue value) {
        if (!value.isMap()) {
            return list(value, false);
        }
        YamlMap map = value.map();
        List.of("text", "entry", "pair").forEach(map::has);
        List<Computation.Column> columns = map.required("names", "[trips, {name: rating, type: double}]")
                .map(names -> list(names, true))
                .orElse(List.of());
        map.close();
        return columns;
    }

    private static List<Computation.Column> list(YamlValue value, boolean inText) {
        List<Computation.Column> columns = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (YamlValue element : value.list()) {
            int before = element.problems().count();
            Computation.Column column = element.isText() ? column(element, inText) : column(element.map(), inText);
            if (element.problems().count() == before && !names.add(column.name())) {
                element.problem("another feature is named " + column.name() + " too; rename one");
            }
            columns.add(column);
        }
        if (value.isList() && (columns.isEmpty() || columns.size() > FEATURES_MAX)) {
            value.wrong("a list of 1 to " + FEATURES_MAX + " features");
        }
        return columns;
    }

    /** Reads a column that is given by its name only: a column of doubles. */
    private static Computation.Column column(YamlValue value, boolean inText) {
        String name = value.name();
        return named(name, inText ? key(name) : FieldPaths.read(value), Measure.ColumnType.DOUBLE);
    }

    private static Computation.Column column(YamlMap map, boolean inText) {
        Optional<YamlValue> written = map.required("name", "rating");
        String name = written.map(YamlValue::name).orElse("");
        FieldPath field = map.optional("field")
                .map(given -> inText ? key(given.text()) : FieldPaths.read(given))
                .orElse(key(name.isEmpty() ? "?" : name));
        Measure.ColumnType type = map.optional("type")
                .map(given -> given.oneOf(Measure.ColumnType.class, LATER_TYPES))
                .orElse(Measure.ColumnType.DOUBLE);
        map.close();
        return named(name, field, type);
    }

    private static FieldPath key(String name) {
        return new FieldPath(name, List.of(name));
    }

    private static Computation.Column named(String name, FieldPath field, Measure.ColumnType type) {
        return new Computation.Column(name, field, type);
    }

    private static Online online(YamlValue value) {
        YamlMap map = value.map();
        map.unsupported("history");
        Online online = new Online(
                map.optional("ttl").map(YamlValue::positiveDuration).orElse(DurationText.parse("7d")),
                null,
                FeatureViewReader.layout(map));
        map.close();
        return online;
    }
}
