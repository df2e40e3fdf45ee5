package io.thalweg.records.translate;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.FieldPlan.Parts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A selection compiled against the schema of a source.
 *
 * <p>Columns from within an optional struct are optional. Paths traverse structs only.
 *
 * @param target the schema of the columns
 * @param plan the plan for the fields of a message; mutable, so each reader needs its own translation
 */
public record Translation(Struct target, StructPlan plan) {
    /**
     * Compiles a selection.
     *
     * @throws SchemaException if a path does not exist, two columns have the same name, or a selected type recurses
     */
    public static Translation of(Struct source, Selection selection) {
        List<Field> target = new ArrayList<>();
        List<Use> uses = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int slot = 0;
        for (Selection.Column column : selection.expanded(source)) {
            Field field = find(source, column);
            if (!names.add(field.name())) {
                throw new SchemaException("two fields become column '" + field.name()
                        + "'; rename one with 'fields', such as {other_name: "
                        + String.join(".", column.path()) + "}");
            }
            target.add(field);
            uses.add(new Use(column.path(), slot));
            slot += FieldType.slots(field.type());
        }
        Struct schema = new Struct(target).checked();
        return new Translation(schema, root(source, uses));
    }

    /** A selected field and its slot in the target. */
    private record Use(List<String> path, int slot) {
        boolean endsAt(int depth) {
            return path.size() == depth + 1;
        }
    }

    private static Field find(Struct source, Selection.Column column) {
        Struct struct = source;
        boolean required = true;
        for (int i = 0; ; i++) {
            String name = column.path().get(i);
            int index = struct.indexOf(name);
            if (index < 0) {
                throw new SchemaException("'" + String.join(".", column.path())
                        + "' is not a field of the schema; '" + name + "' must be one of "
                        + String.join(", ", struct.names()));
            }
            Field field = struct.fields().get(index);
            if (i == column.path().size() - 1) {
                refuseRecursion(field.type(), String.join(".", column.path()));
                return required
                        ? new Field(column.name(), field.type(), field.required(), field.absent())
                        : Field.optional(column.name(), field.type());
            }
            required &= field.required();
            if (!(field.type() instanceof Struct next)) {
                throw new SchemaException("'" + String.join(".", column.path()) + "' leads through '" + name
                        + "', which is not a struct; select '"
                        + String.join(".", column.path().subList(0, i + 1)) + "' as a whole");
            }
            struct = next;
        }
    }

    private static void refuseRecursion(FieldType type, String path) {
        if (type instanceof Recursive recursive) {
            throw new SchemaException("'" + path + "' contains type " + recursive.name()
                    + " within itself, which no table can hold; list the fields that are needed with 'fields'");
        }
        if (type instanceof Struct struct) {
            struct.fields().forEach(field -> refuseRecursion(field.type(), path + "." + field.name()));
        } else if (type instanceof ListOf list) {
            refuseRecursion(list.element(), path);
        } else if (type instanceof MapOf map) {
            refuseRecursion(map.value(), path);
        }
    }

    private static StructPlan root(Struct source, List<Use> uses) {
        return structPlan(source, "", uses, 0);
    }

    /**
     * Creates the plan of a struct of which only the fields in {@code uses} are selected; their paths have {@code depth} names
     * above it.
     */
    private static StructPlan structPlan(Struct struct, String prefix, List<Use> uses, int depth) {
        @Nullable FieldPlan[] plans = new FieldPlan[struct.fields().size()];
        for (int i = 0; i < plans.length; i++) {
            Field field = struct.fields().get(i);
            plans[i] = used(field, prefix, uses, depth);
        }
        return new StructPlan(struct.names(), plans);
    }

    /** Creates the plans of a field: one for each use of the whole, one for all uses of parts, or one that only checks its presence. */
    private static @Nullable FieldPlan used(Field field, String prefix, List<Use> uses, int depth) {
        String path = prefix + field.name();
        List<Use> below = new ArrayList<>();
        FieldPlan plan = null;
        for (Use use : uses) {
            if (!use.path().get(depth).equals(field.name())) {
                continue;
            }
            if (use.endsAt(depth)) {
                plan = whole(path, field, use.slot(), plan);
            } else {
                below.add(use);
            }
        }
        if (!below.isEmpty() && field.type() instanceof Struct struct) {
            Parts parts = new Parts(structPlan(struct, path + ".", below, depth + 1), null, null);
            plan = new FieldPlan(path, struct, FieldPlan.NONE, parts, plan, field.required(), null);
        }
        if (plan == null && field.required()) {
            plan = new FieldPlan(path, field.type(), FieldPlan.NONE, Parts.NONE, null, true, null);
        }
        return plan;
    }

    private static FieldPlan whole(String path, Field field, int slot, @Nullable FieldPlan also) {
        return new FieldPlan(
                path, field.type(), slot, parts(path, field.type(), slot), also, field.required(), field.absent());
    }

    private static Parts parts(String path, FieldType type, int slot) {
        if (type instanceof Struct struct) {
            @Nullable FieldPlan[] plans = new FieldPlan[struct.fields().size()];
            int next = slot + 1;
            for (int i = 0; i < plans.length; i++) {
                Field field = struct.fields().get(i);
                plans[i] = whole(path + "." + field.name(), field, next, null);
                next += FieldType.slots(field.type());
            }
            return new Parts(new StructPlan(struct.names(), plans), null, null);
        }
        if (type instanceof ListOf list) {
            return new Parts(null, part(path, list.element(), slot + 1, list.elementsRequired()), null);
        }
        if (type instanceof MapOf map) {
            Scalar key = map.key();
            return new Parts(
                    null, part(path, map.value(), slot + 2, map.valuesRequired()), part(path, key, slot + 1, true));
        }
        return Parts.NONE;
    }

    private static FieldPlan part(String path, FieldType type, int slot, boolean required) {
        return new FieldPlan(path, type, slot, parts(path, type, slot), null, required, null);
    }
}
