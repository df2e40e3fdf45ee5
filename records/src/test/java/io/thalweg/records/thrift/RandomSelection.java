package io.thalweg.records.thrift;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

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
