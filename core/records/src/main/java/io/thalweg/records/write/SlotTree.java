package io.thalweg.records.write;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;

/**
 * The nodes of a schema by slot, as arrays. The message itself has the number {@link #root}, one beyond the last slot.
 *
 * <p>Paths are those of {@link io.thalweg.records.translate.FieldPlan#path}: an element has the path of its list, a value that of its
 * map. The key of a map has the path of the map and {@code [key]}.
 */
final class SlotTree {
    static final byte FIELD = 0;
    static final byte ELEMENT = 1;
    static final byte KEY = 2;
    static final byte VALUE = 3;

    final int root;
    final FieldType[] type;
    final int[] parent;
    final byte[] role;
    /** The position of each field in its struct. */
    final int[] index;

    final boolean[] required;
    final String[] name;
    final String[] path;
    /** For structs: the slots of their fields. */
    final int[][] children;

    SlotTree(Struct schema) {
        root = schema.slots();
        type = new FieldType[root + 1];
        parent = new int[root + 1];
        role = new byte[root + 1];
        index = new int[root + 1];
        required = new boolean[root + 1];
        name = new String[root + 1];
        path = new String[root + 1];
        children = new int[root + 1][];
        type[root] = schema;
        parent[root] = -1;
        name[root] = "";
        path[root] = "";
        fields(schema, root, 0, "");
    }

    private void fields(Struct struct, int slot, int first, String prefix) {
        int[] slots = new int[struct.fields().size()];
        int next = first;
        for (int i = 0; i < slots.length; i++) {
            Field field = struct.fields().get(i);
            slots[i] = next;
            index[next] = i;
            node(next, field.type(), slot, FIELD, field.required(), field.name(), prefix + field.name());
            next += FieldType.slots(field.type());
        }
        children[slot] = slots;
    }

    private void node(int slot, FieldType of, int below, byte as, boolean needed, String called, String where) {
        type[slot] = of;
        parent[slot] = below;
        role[slot] = as;
        required[slot] = needed;
        name[slot] = called;
        path[slot] = where;
        if (of instanceof Struct struct) {
            fields(struct, slot, slot + 1, where + ".");
        } else if (of instanceof ListOf list) {
            node(slot + 1, list.element(), slot, ELEMENT, list.elementsRequired(), called, where);
        } else if (of instanceof MapOf map) {
            node(slot + 1, map.key(), slot, KEY, true, called, where + "[key]");
            node(slot + 2, map.value(), slot, VALUE, map.valuesRequired(), called, where);
        }
    }
}
