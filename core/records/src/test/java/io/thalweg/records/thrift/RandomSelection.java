package io.thalweg.records.thrift;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random columns of a schema: whole fields, fields within structs, and the same field twice. */
final class RandomSelection {
    private RandomSelection() {}

    /** Returns a selection without a recursive type; empty if the schema has nothing else. */
    static Selection of(Struct struct, Random random) {
        List<List<String>> paths = new ArrayList<>();
        collect(struct, List.of(), paths);
        List<Column> columns = new ArrayList<>();
        if (random.nextInt(4) == 0) {
            paths.stream().filter(path -> path.size() == 1).forEach(path -> columns.add(new Column(path.get(0), path)));
            return new Selection(columns);
        }
        for (int i = paths.isEmpty() ? 0 : 1 + random.nextInt(8); i > 0; i--) {
            columns.add(new Column("c" + i, paths.get(random.nextInt(paths.size()))));
        }
        return new Selection(columns);
    }

    /** Returns a selection of all fields without a recursive type. */
    static Selection all(Struct struct) {
        return new Selection(struct.fields().stream()
                .filter(field -> !recurses(field.type()))
                .map(field -> new Column(field.name(), List.of(field.name())))
                .toList());
    }

    /** Returns the paths of all fields of a selection, also of those in lists and maps. */
    static List<List<String>> paths(Struct struct, Selection selection) {
        List<List<String>> paths = new ArrayList<>();
        for (Column column : selection.columns()) {
            paths.add(column.path());
            below(struct.fields().get(struct.indexOf(column.name())).type(), column.path(), paths);
        }
        return paths;
    }

    private static void below(FieldType type, List<String> prefix, List<List<String>> paths) {
        if (type instanceof FieldType.ListOf list) {
            below(list.element(), prefix, paths);
        } else if (type instanceof FieldType.MapOf map) {
            below(map.value(), prefix, paths);
        } else if (type instanceof Struct struct) {
            for (Field field : struct.fields()) {
                List<String> path = new ArrayList<>(prefix);
                path.add(field.name());
                paths.add(path);
                below(field.type(), path, paths);
            }
        }
    }

    /** Removes fields from a row: naively, from its values. */
    static Map<String, @Nullable Object> without(
            List<List<String>> excluded, String prefix, Map<?, ? extends @Nullable Object> row) {
        Map<String, @Nullable Object> rest = new HashMap<>();
        row.forEach((name, value) -> {
            String path = prefix + name;
            if (excluded.stream().noneMatch(each -> String.join(".", each).equals(path))) {
                rest.put(String.valueOf(name), withoutValue(excluded, path, value));
            }
        });
        return rest;
    }

    private static @Nullable Object withoutValue(List<List<String>> excluded, String path, @Nullable Object value) {
        if (value instanceof List<?> list) {
            List<@Nullable Object> rest = new ArrayList<>();
            list.forEach(element -> rest.add(withoutValue(excluded, path, element)));
            return rest;
        }
        return value instanceof Map<?, ?> struct ? without(excluded, path + ".", struct) : value;
    }

    private static void collect(Struct struct, List<String> prefix, List<List<String>> paths) {
        for (Field field : struct.fields()) {
            List<String> path = new ArrayList<>(prefix);
            path.add(field.name());
            if (!recurses(field.type())) {
                paths.add(path);
            }
            if (field.type() instanceof Struct below && path.size() < 5) {
                collect(below, path, paths);
            }
        }
    }

    private static boolean recurses(FieldType type) {
        if (type instanceof Struct struct) {
            return struct.fields().stream().anyMatch(field -> recurses(field.type()));
        }
        if (type instanceof FieldType.ListOf list) {
            return recurses(list.element());
        }
        return type instanceof FieldType.MapOf map ? recurses(map.value()) : type instanceof FieldType.Recursive;
    }
}
