package io.thalweg.records.translate;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Unsupported;
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
     * @throws SchemaException if a path does not exist, two columns have the same name, or a selected type can only be skipped
     */
    public static Translation of(Struct source, Selection selection) {
        Exclusion excluded = Exclusion.of(source, selection.excluded());
        List<Field> target = new ArrayList<>();
        List<Use> uses = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int slot = 0;
        for (Selection.Column column : selection.expanded(source)) {
            Field field = find(source, column, excluded);
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
        return new Translation(schema, new Plans(excluded).structPlan(source, "", uses, 0));
    }

    /** A selected field and its slot in the target. */
    private record Use(List<String> path, int slot) {
        boolean endsAt(int depth) {
            return path.size() == depth + 1;
        }
    }

    private static Field find(Struct source, Selection.Column column, Exclusion excluded) {
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
            String path = String.join(".", column.path().subList(0, i + 1));
            if (excluded.contains(path)) {
                throw new SchemaException("'" + path + "' is selected and excluded; keep one");
            }
            if (i == column.path().size() - 1) {
                FieldType type = excluded.from(field.type(), path);
                refuseSkipped(type, path);
                return required
                        ? new Field(column.name(), type, field.required(), field.absent())
                        : Field.optional(column.name(), type);
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

    private static void refuseSkipped(FieldType type, String path) {
        if (type instanceof Recursive recursive) {
            throw new SchemaException("'" + path + "' contains type " + recursive.name()
                    + " within itself, which no table can hold; leave it out with 'exclude', or list the fields that are"
                    + " needed with 'fields'");
        }
        if (type instanceof Unsupported unsupported) {
            throw new SchemaException("'" + path + "' is " + unsupported.what()
                    + ", which is not supported; leave it out with 'exclude', or list the fields that are needed with"
                    + " 'fields'");
        }
        if (type instanceof Struct struct) {
            struct.fields().forEach(field -> refuseSkipped(field.type(), path + "." + field.name()));
        } else if (type instanceof ListOf list) {
            refuseSkipped(list.element(), path);
        } else if (type instanceof MapOf map) {
            refuseSkipped(map.value(), path);
        }
    }

    /** Creates plans of fields, without those that are excluded. */
    private record Plans(Exclusion excluded) {
        /**
         * Creates the plan of a struct of which only the fields in {@code uses} are selected; their paths have {@code depth} names
         * above it.
         */
        StructPlan structPlan(Struct struct, String prefix, List<Use> uses, int depth) {
            @Nullable FieldPlan[] plans = new FieldPlan[struct.fields().size()];
            for (int i = 0; i < plans.length; i++) {
                Field field = struct.fields().get(i);
                plans[i] = used(field, prefix, uses, depth);
            }
            return new StructPlan(struct.names(), plans);
        }

        /** Creates the plans of a field: one for each use of the whole, one for all uses of parts, or one that only checks its presence. */
        private @Nullable FieldPlan used(Field field, String prefix, List<Use> uses, int depth) {
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
                plan = presence(path, field);
            }
            return plan;
        }

        private static FieldPlan presence(String path, Field field) {
            return new FieldPlan(path, field.type(), FieldPlan.NONE, Parts.NONE, null, true, null);
        }

        private FieldPlan whole(String path, Field field, int slot, @Nullable FieldPlan also) {
            return new FieldPlan(
                    path, field.type(), slot, parts(path, field.type(), slot), also, field.required(), field.absent());
        }

        private Parts parts(String path, FieldType type, int slot) {
            if (type instanceof Struct struct) {
                @Nullable FieldPlan[] plans = new FieldPlan[struct.fields().size()];
                int next = slot + 1;
                for (int i = 0; i < plans.length; i++) {
                    Field field = struct.fields().get(i);
                    String at = path + "." + field.name();
                    if (!excluded.contains(at)) {
                        plans[i] = whole(at, field, next, null);
                        next += FieldType.slots(excluded.from(field.type(), at));
                    } else if (field.required()) {
                        plans[i] = presence(at, field);
                    }
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

        private FieldPlan part(String path, FieldType type, int slot, boolean required) {
            return new FieldPlan(path, type, slot, parts(path, type, slot), null, required, null);
        }
    }
}
