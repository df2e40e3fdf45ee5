package io.thalweg.records.row;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names of a row's fields, and the shapes of the rows within them.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public final class RowShape {
    private final List<String> names;
    private final Map<String, Integer> positions;
    private final @Nullable RowShape[] below;

    private RowShape(List<String> names, @Nullable RowShape[] below) {
        this.names = List.copyOf(names);
        this.below = below;
        positions = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            positions.put(names.get(i), i);
        }
    }

    /** Returns the shape of rows of a schema. */
    public static RowShape of(Struct schema) {
        return of(List.of(schema));
    }

    /** Returns the shape of rows with the fields of both schemas: those of {@code first}, then those that only {@code second} has. */
    public static RowShape of(Struct first, Struct second) {
        return of(List.of(first, second));
    }

    private static RowShape of(List<Struct> schemas) {
        List<String> names = new ArrayList<>();
        Map<String, List<Struct>> inside = new HashMap<>();
        for (Struct schema : schemas) {
            for (Field field : schema.fields()) {
                if (!names.contains(field.name())) {
                    names.add(field.name());
                }
                Struct struct = structOf(field.type());
                if (struct != null) {
                    inside.computeIfAbsent(field.name(), name -> new ArrayList<>())
                            .add(struct);
                }
            }
        }
        @Nullable RowShape[] below = new RowShape[names.size()];
        for (int i = 0; i < below.length; i++) {
            List<Struct> structs = inside.get(names.get(i));
            below[i] = structs == null ? null : of(structs);
        }
        return new RowShape(names, below);
    }

    /** Returns the struct that a type is, or that its elements or values are; null if there is none. */
    private static @Nullable Struct structOf(FieldType type) {
        if (type instanceof ListOf list) {
            return structOf(list.element());
        }
        if (type instanceof MapOf map) {
            return structOf(map.value());
        }
        return type instanceof Struct struct ? struct : null;
    }

    /** The names of the fields in the order of their positions. */
    public List<String> names() {
        return names;
    }

    /** Returns the position of a field, or -1. */
    public int indexOf(String name) {
        return positions.getOrDefault(name, -1);
    }

    /**
     * Returns the shape of the rows in a field: of its value, of the elements of a list, or of the values of a map.
     *
     * @throws IllegalArgumentException if there is no such field, or it does not contain rows
     */
    public RowShape within(String name) {
        RowShape within = below[require(name)];
        if (within == null) {
            throw new IllegalArgumentException("field '" + name + "' has no rows in it");
        }
        return within;
    }

    /** Returns the position of a field that must exist. */
    int require(String name) {
        Integer position = positions.get(name);
        if (position == null) {
            throw new IllegalArgumentException(
                    "there is no field '" + name + "'; the fields are: " + String.join(", ", names));
        }
        return position;
    }
}
