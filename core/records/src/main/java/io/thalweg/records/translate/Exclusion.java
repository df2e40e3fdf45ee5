package io.thalweg.records.translate;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Fields that are left out of the columns.
 *
 * @param paths names joined by dots; elements of lists and values of maps have the path of their field
 */
record Exclusion(Set<String> paths) {
    /**
     * Checks that fields exist.
     *
     * @throws SchemaException if one does not
     */
    static Exclusion of(Struct source, List<List<String>> excluded) {
        excluded.forEach(path -> require(source, path));
        return new Exclusion(
                excluded.stream().map(path -> String.join(".", path)).collect(Collectors.toUnmodifiableSet()));
    }

    private static void require(Struct source, List<String> path) {
        FieldType type = source;
        for (String name : path) {
            Struct struct = struct(type);
            int index = struct == null ? -1 : struct.indexOf(name);
            if (struct == null || index < 0) {
                throw new SchemaException(
                        "'" + String.join(".", path) + "' in 'exclude' is not a field of the schema; '"
                                + name + "' must be "
                                + (struct == null
                                        ? "left out, because what it is in has no fields"
                                        : "one of " + String.join(", ", struct.names())));
            }
            type = struct.fields().get(index).type();
        }
    }

    private static @Nullable Struct struct(FieldType type) {
        if (type instanceof ListOf list) {
            return struct(list.element());
        }
        if (type instanceof MapOf map) {
            return struct(map.value());
        }
        return type instanceof Struct struct ? struct : null;
    }

    boolean contains(String path) {
        return paths.contains(path);
    }

    /** Returns the type of the field at a path without the fields that are left out. */
    FieldType from(FieldType type, String path) {
        if (paths.isEmpty()) {
            return type;
        }
        if (type instanceof ListOf list) {
            return new ListOf(from(list.element(), path), list.elementsRequired());
        }
        if (type instanceof MapOf map) {
            return new MapOf(map.key(), from(map.value(), path), map.valuesRequired());
        }
        if (!(type instanceof Struct struct)) {
            return type;
        }
        List<Field> fields = new ArrayList<>();
        for (Field field : struct.fields()) {
            String at = path + "." + field.name();
            if (!contains(at)) {
                fields.add(new Field(field.name(), from(field.type(), at), field.required(), field.absent()));
            }
        }
        return new Struct(fields);
    }
}
