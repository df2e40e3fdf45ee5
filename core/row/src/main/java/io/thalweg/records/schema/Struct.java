package io.thalweg.records.schema;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A struct of named fields.
 *
 * @param fields in the order of the schema, with distinct names
 */
public record Struct(List<Field> fields) implements FieldType {
    /** The maximum nesting: other systems cannot read tables with deeper structs. */
    private static final int DEEPEST = 32;

    public Struct {
        fields = List.copyOf(fields);
        Set<String> names = new HashSet<>();
        for (Field field : fields) {
            if (!names.add(field.name())) {
                throw new SchemaException("field '" + field.name() + "' is there twice");
            }
        }
    }

    /** Returns the position of a field, or -1. */
    public int indexOf(String name) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    public List<String> names() {
        return fields.stream().map(Field::name).toList();
    }

    /** The number of slots that the fields take. */
    public int slots() {
        int slots = 0;
        for (Field field : fields) {
            slots += FieldType.slots(field.type());
        }
        return slots;
    }

    /** Returns the number of structs, lists and maps that enclose the deepest value. */
    public static int depth(FieldType type) {
        if (type instanceof Struct struct) {
            int deepest = 0;
            for (Field field : struct.fields()) {
                deepest = Math.max(deepest, depth(field.type()));
            }
            return 1 + deepest;
        }
        if (type instanceof ListOf list) {
            return 1 + depth(list.element());
        }
        return type instanceof MapOf map ? 1 + depth(map.value()) : 0;
    }

    /** Returns this struct; throws a {@link SchemaException} if it is nested too deeply. */
    public Struct checked() {
        if (depth(this) > DEEPEST) {
            throw new SchemaException("the schema nests " + depth(this) + " levels; at most " + DEEPEST
                    + " are supported; select the fields that are needed with 'fields'");
        }
        return this;
    }
}
