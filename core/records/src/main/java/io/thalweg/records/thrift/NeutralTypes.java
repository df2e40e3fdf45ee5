package io.thalweg.records.thrift;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.thrift.ThriftStruct.ThriftField;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Converts a Thrift struct to a neutral one, as a tree.
 *
 * <p>A struct that contains itself is expanded once on each path from the root. Where many structs contain each other, such as
 * the nodes of a syntax tree, the number of paths explodes; such structs are then expanded to the greatest depth at which the
 * tree is small enough. Deeper structs cannot be selected.
 */
final class NeutralTypes {
    private static final int DEEPEST = 32;
    private static final int MOST_EXPANSIONS = 2_000;

    private final Map<String, ThriftStruct> structs;
    private final Set<String> recursive = new HashSet<>();
    private final Map<String, Struct> flat = new HashMap<>();
    private final Deque<String> path = new ArrayDeque<>();
    private int expansions;

    private NeutralTypes(Map<String, ThriftStruct> structs) {
        this.structs = structs;
        structs.keySet().stream().filter(this::containsItself).forEach(recursive::add);
    }

    /** Returns the neutral form of the struct {@code root}, a key of {@code structs}. */
    static Struct of(String root, Map<String, ThriftStruct> structs) {
        NeutralTypes types = new NeutralTypes(structs);
        int deepest = DEEPEST;
        Struct struct = types.expanded(root, deepest);
        while (types.expansions > MOST_EXPANSIONS && deepest > 1) {
            struct = types.expanded(root, --deepest);
        }
        return struct;
    }

    private Struct expanded(String root, int deepest) {
        expansions = 0;
        flat.clear();
        return struct(root, deepest);
    }

    private boolean containsItself(String key) {
        Set<String> met = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(key));
        while (!open.isEmpty()) {
            for (ThriftField field : get(open.remove()).fields()) {
                for (String part : referenced(field.type(), new ArrayList<>())) {
                    if (part.equals(key)) {
                        return true;
                    }
                    if (met.add(part)) {
                        open.add(part);
                    }
                }
            }
        }
        return false;
    }

    private static List<String> referenced(ThriftType type, List<String> keys) {
        if (type instanceof ThriftType.StructRef ref) {
            keys.add(ref.key());
        } else if (type instanceof ThriftType.ListOf list) {
            referenced(list.element(), keys);
        } else if (type instanceof ThriftType.SetOf set) {
            referenced(set.element(), keys);
        } else if (type instanceof ThriftType.MapOf map) {
            referenced(map.key(), keys);
            referenced(map.value(), keys);
        }
        return keys;
    }

    private ThriftStruct get(String key) {
        return Objects.requireNonNull(structs.get(key), key);
    }

    private Struct struct(String key, int deepest) {
        Struct known = flat.get(key);
        if (known != null) {
            return known;
        }
        boolean recurses = recursive.contains(key);
        if (recurses) {
            path.push(key);
            expansions++;
        }
        List<Field> fields = new ArrayList<>();
        for (ThriftField field : get(key).fields()) {
            fields.add(new Field(field.name(), type(field.type(), deepest), field.required(), field.absent()));
        }
        Struct struct = new Struct(fields);
        if (recurses) {
            path.pop();
        } else {
            flat.put(key, struct); // Independent of the path, because the struct contains none of its ancestors.
        }
        return struct;
    }

    private FieldType type(ThriftType type, int deepest) {
        if (type instanceof ThriftType.Scalar scalar) {
            return scalar.neutral();
        }
        if (type instanceof ThriftType.Symbols symbols) {
            return new FieldType.Symbols(symbols.names());
        }
        if (type instanceof ThriftType.ListOf list) {
            return new FieldType.ListOf(type(list.element(), deepest), true);
        }
        if (type instanceof ThriftType.SetOf set) {
            return new FieldType.ListOf(type(set.element(), deepest), true);
        }
        if (type instanceof ThriftType.MapOf map) {
            return map(map, deepest);
        }
        return reference(((ThriftType.StructRef) type).key(), deepest);
    }

    private FieldType map(ThriftType.MapOf map, int deepest) {
        FieldType key = type(map.key(), deepest);
        FieldType value = type(map.value(), deepest);
        return key instanceof FieldType.Scalar scalar
                ? new FieldType.MapOf(scalar, value, true)
                : new FieldType.ListOf(
                        new Struct(List.of(Field.required("key", key), Field.required("value", value))), true);
    }

    private FieldType reference(String key, int deepest) {
        boolean cut = recursive.contains(key)
                && (path.contains(key) || path.size() >= deepest || expansions > MOST_EXPANSIONS);
        return cut ? new FieldType.Recursive(get(key).name()) : struct(key, deepest);
    }
}
