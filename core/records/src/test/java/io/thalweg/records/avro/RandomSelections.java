package io.thalweg.records.avro;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random columns from fields and parts of fields, some of them repeated, with the expected rows. */
final class RandomSelections {
    private RandomSelections() {}

    /** Every field of the root that a table can hold. */
    static Selection all(Struct struct) {
        List<Selection.Column> columns = new ArrayList<>();
        for (Field field : struct.fields()) {
            if (!recurses(field.type())) {
                columns.add(new Selection.Column(field.name(), List.of(field.name())));
            }
        }
        return new Selection(columns);
    }

    static Selection random(Struct struct, Random random) {
        List<List<String>> paths = new ArrayList<>();
        collect(struct, List.of(), paths);
        List<Selection.Column> columns = new ArrayList<>();
        int count = paths.isEmpty() ? 0 : 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            columns.add(new Selection.Column("column" + i, paths.get(random.nextInt(paths.size()))));
        }
        return new Selection(columns);
    }

    private static void collect(Struct struct, List<String> prefix, List<List<String>> paths) {
        for (Field field : struct.fields()) {
            List<String> path = new ArrayList<>(prefix);
            path.add(field.name());
            if (!recurses(field.type())) {
                paths.add(path);
            }
            if (field.type() instanceof Struct below) {
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

    static Map<String, @Nullable Object> expected(Map<String, @Nullable Object> row, Selection selection) {
        Map<String, @Nullable Object> selected = new HashMap<>();
        for (Selection.Column column : selection.columns()) {
            Object value = row;
            for (String name : column.path()) {
                value = value == null ? null : ((Map<?, ?>) value).get(name);
            }
            selected.put(column.name(), value);
        }
        return selected;
    }
}
