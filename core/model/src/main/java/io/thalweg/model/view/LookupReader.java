package io.thalweg.model.view;

import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.source.Source;
import io.thalweg.model.source.SourceReader;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.SiblingPaths;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads the lookups of a view. */
final class LookupReader {
    private static final DurationText REFRESH = DurationText.parse("5m");
    private static final int MAX_ROWS = 10_000_000;
    /** Rows are stored in arrays with one entry per text: the key and each field. */
    private static final int MAX_ROWS_MOST = 100_000_000;

    /** The formats of files that are looked up. */
    private enum FileFormat {
        JSON,
        CSV
    }

    private LookupReader() {}

    static List<Lookup> read(YamlValue value) {
        List<Lookup> lookups = new ArrayList<>();
        Set<List<String>> given = new HashSet<>();
        for (YamlValue element : value.list()) {
            Lookup lookup = lookup(element.map());
            for (FieldPath field : lookup.fields()) {
                if (lookup.table() instanceof Lookup.File file
                        && field.segments().equals(file.key().segments())) {
                    element.problem("gives the field " + field.text()
                            + ", which is the table's key and so in the event;" + " leave it out");
                }
                if (!given.add(field.segments())) {
                    element.problem("gives the field " + field.text() + ", which is there from a lookup already;"
                            + " name each field once");
                }
            }
            lookups.add(lookup);
        }
        return lookups;
    }

    private static Lookup lookup(YamlMap map) {
        FieldPath key = map.required("key", "ad_id").map(FieldPaths::read).orElse(FieldPaths.UNKNOWN);
        Lookup lookup = new Lookup(
                map.required("table", "{file: ads.csv}")
                        .map(table -> table(table, key))
                        .orElse(new Lookup.File("?", "?", Source.Format.CSV, key, REFRESH, MAX_ROWS)),
                key,
                map.required("fields", "[campaign_id]")
                        .map(LookupReader::fields)
                        .orElse(List.of()),
                map.optional("on_miss").map(LookupReader::drops).orElse(false));
        map.close();
        return lookup;
    }

    private static List<FieldPath> fields(YamlValue value) {
        List<FieldPath> fields = new ArrayList<>();
        for (YamlValue element : value.list()) {
            FieldPath field = FieldPaths.read(element);
            if (field.isRecordField()) {
                element.wrong("a field of the table");
            }
            fields.add(field);
        }
        if (value.isList() && fields.isEmpty()) {
            value.wrong("a list with at least one field");
        }
        return fields;
    }

    private static boolean drops(YamlValue value) {
        boolean drop = value.isText() && value.text().equals("drop");
        boolean none = value.isNull() || (value.isText() && value.text().equals("null"));
        if (!drop && !none) {
            value.wrong("drop or null");
        }
        return drop;
    }

    private static Lookup.Table table(YamlValue value, FieldPath key) {
        YamlMap map = value.map();
        Optional<YamlValue> file = map.optional("file");
        Optional<YamlValue> redis = map.optional("redis");
        if (value.isMap() && file.isPresent() == redis.isPresent()) {
            value.wrong("either {file: ads.csv} or {redis: default, key: \"ad:{ad_id}\"}");
        }
        DurationText refresh =
                map.optional("refresh").map(YamlValue::positiveDuration).orElse(REFRESH);
        int maxRows = map.optional("max_rows")
                .map(rows -> rows.integer(1, MAX_ROWS_MOST))
                .orElse(MAX_ROWS);
        Lookup.Table table = redis.isPresent()
                ? new Lookup.Redis(
                        SourceReader.cluster(redis.get()),
                        map.required("key", "\"ad:{ad_id}\"")
                                .map(LookupReader::pattern)
                                .orElse("?"),
                        refresh,
                        maxRows)
                : file(map, file, key, refresh, maxRows);
        map.close();
        return table;
    }

    private static String pattern(YamlValue value) {
        String pattern = value.text();
        if (value.isText() && !pattern.matches("[^{}]+|[^{}]*\\{[^{}]*}[^{}]*")) {
            value.wrong(
                    "a hash such as ads, or keys such as \"ad:{ad_id}\" with one pair of braces where a row's key stands");
        }
        return pattern;
    }

    private static Lookup.File file(
            YamlMap map, Optional<YamlValue> file, FieldPath key, DurationText refresh, int maxRows) {
        String path = file.map(value -> SiblingPaths.read(value, "a file such as ads.csv"))
                .orElse("?");
        Source.Format format = map.optional("format")
                .map(named ->
                        Source.Format.valueOf(named.oneOf(FileFormat.class).name()))
                .orElseGet(() -> file.map(LookupReader::format).orElse(Source.Format.CSV));
        FieldPath column = map.optional("key").map(FieldPaths::read).orElse(key);
        return new Lookup.File(file.map(YamlValue::text).orElse("?"), path, format, column, refresh, maxRows);
    }

    private static Source.Format format(YamlValue file) {
        String name = file.isText() ? file.text().toLowerCase(Locale.ROOT) : ".csv";
        if (name.matches(".*\\.(jsonl|json|ndjson)(\\.gz)?")) {
            return Source.Format.JSON;
        }
        if (!name.matches(".*\\.csv(\\.gz)?")) {
            file.problem("does not tell its format by its ending; add format: csv or json");
        }
        return Source.Format.CSV;
    }
}
