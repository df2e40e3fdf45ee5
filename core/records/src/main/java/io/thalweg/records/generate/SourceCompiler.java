package io.thalweg.records.generate;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Creates the sources of the fields of a schema. */
final class SourceCompiler {
    private final GeneratorOptions options;
    private final boolean textIsFree;
    private final ScalarCompiler scalars;
    private final Set<String> known = new HashSet<>();
    private final Set<String> unions = new HashSet<>();
    /** The choice of each oneof, by the path of each of its members. */
    private final Map<String, Containers.Choice> choices = new HashMap<>();

    SourceCompiler(Struct schema, GeneratorOptions options, long seed) {
        this.options = options;
        textIsFree = has(schema, "", true);
        scalars = new ScalarCompiler(seed, !textIsFree, options.rules());
        for (List<String> members : options.rules().oneofs()) {
            Containers.Choice choice = new Containers.Choice(options.nulls());
            members.forEach(member -> choices.put(member, choice));
        }
    }

    /** Returns whether the schema has a text of free length. */
    boolean textIsFree() {
        return textIsFree;
    }

    /** Creates the sources of the fields of the message. */
    Containers.Fields compile(Struct schema) {
        Containers.Fields fields = fields(schema, "");
        refuseUnknown("fields", options.fields().keySet(), known);
        refuseUnknown("unions", options.rules().unions(), unions);
        return fields;
    }

    private static void refuseUnknown(String key, Set<String> given, Set<String> found) {
        Set<String> unknown = new TreeSet<>(given);
        unknown.removeAll(found);
        if (!unknown.isEmpty()) {
            throw new SchemaException("generate." + key + " has " + unknown
                    + ", which the schema does not have; it has " + new TreeSet<>(found));
        }
    }

    /** Returns whether a part of the type is a text of free length. */
    private boolean has(FieldType type, String path, boolean root) {
        if (type instanceof Struct struct) {
            String prefix = root ? "" : path + ".";
            return struct.fields().stream().anyMatch(field -> has(field.type(), prefix + field.name(), false));
        }
        if (type instanceof ListOf list) {
            return has(list.element(), path, false);
        }
        if (type instanceof MapOf map) {
            return has(map.value(), path, false);
        }
        return type instanceof Text && ScalarCompiler.isFree(optionsOf(path));
    }

    private FieldOptions optionsOf(String path) {
        return options.fields().getOrDefault(path, FieldOptions.NONE);
    }

    private Containers.Fields fields(Struct struct, String prefix) {
        return new Containers.Fields(sources(struct, prefix, true), offsets(struct));
    }

    private ValueSource[] sources(Struct struct, String prefix, boolean withNulls) {
        ValueSource[] sources = new ValueSource[struct.fields().size()];
        for (int i = 0; i < sources.length; i++) {
            Field field = struct.fields().get(i);
            String path = prefix + field.name();
            known.add(path);
            Containers.Choice choice = choices.get(path);
            sources[i] = choice == null
                    ? maybe(field.type(), path, field.required() || !withNulls)
                    : member(choice, field.type(), path);
        }
        return sources;
    }

    private static int[] offsets(Struct struct) {
        int[] offsets = new int[struct.fields().size()];
        for (int i = 1; i < offsets.length; i++) {
            offsets[i] =
                    offsets[i - 1] + FieldType.slots(struct.fields().get(i - 1).type());
        }
        return offsets;
    }

    private ValueSource maybe(FieldType type, String path, boolean required) {
        if (FieldType.isSkipped(type)) {
            return new Containers.Missing();
        }
        ValueSource value = value(type, path);
        Double own = optionsOf(path).nulls();
        double nulls = own != null ? own : options.nulls();
        return required || nulls == 0 ? value : new Containers.Nullable(value, nulls);
    }

    /** Creates the source of a member of a oneof. A chosen member has a value, unless it has its own share of nulls. */
    private ValueSource member(Containers.Choice choice, FieldType type, String path) {
        if (FieldType.isSkipped(type)) {
            return new Containers.Missing();
        }
        return choice.member(maybe(type, path, optionsOf(path).nulls() == null));
    }

    private ValueSource value(FieldType type, String path) {
        if (type instanceof Struct struct) {
            return options.rules().unions().contains(path) ? union(struct, path) : struct(struct, path);
        }
        if (type instanceof ListOf list) {
            return new Containers.Lists(
                    item(list.element(), path, list.elementsRequired()), sizes(list.element(), Integer.MAX_VALUE));
        }
        if (type instanceof MapOf map) {
            MapKeys keys = new MapKeys(map.key(), options.rules().bits(path + "[key]"));
            return new Containers.Maps(
                    keys, item(map.value(), path, map.valuesRequired()), sizes(map.value(), keys.most()));
        }
        return scalars.compile((Scalar) type, path, optionsOf(path));
    }

    /** Returns the sizes of a collection, which stays empty if its elements cannot be generated. */
    private Containers.Sizes sizes(FieldType element, long most) {
        return new Containers.Sizes(options.collections(), FieldType.isSkipped(element) ? 0 : most);
    }

    /** Creates the source of elements. The share of nulls of a list applies to the list itself, that of the record to its elements. */
    private ValueSource item(FieldType type, String path, boolean required) {
        if (FieldType.isSkipped(type)) {
            return new Containers.Missing();
        }
        ValueSource value = value(type, path);
        return required || options.nulls() == 0 ? value : new Containers.Nullable(value, options.nulls());
    }

    private ValueSource struct(Struct struct, String path) {
        for (Field field : struct.fields()) {
            if (field.required() && FieldType.isSkipped(field.type())) {
                throw new SchemaException(
                        "'" + path + "." + field.name()
                                + "' is required and contains itself or is a group, so that no message can be made; make it optional");
            }
        }
        return new Containers.Structs(fields(struct, path + "."));
    }

    private ValueSource union(Struct struct, String path) {
        unions.add(path);
        List<Field> fields = struct.fields();
        int[] candidates = IntStream.range(0, fields.size())
                .filter(i -> !FieldType.isSkipped(fields.get(i).type()))
                .toArray();
        if (candidates.length == 0 || fields.stream().anyMatch(Field::required)) {
            throw new SchemaException(
                    "'" + path
                            + "' is not a union: all of its fields must be optional, and one must be neither a group nor contain itself");
        }
        return new Containers.Unions(sources(struct, path + ".", false), offsets(struct), candidates);
    }
}
