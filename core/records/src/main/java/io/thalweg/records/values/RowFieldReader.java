package io.thalweg.records.values;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports the values of rows to a writer.
 *
 * <p>Values map to the fields of the same names. Fields that the row lacks are absent; values without a field in the schema are
 * left out.
 *
 * <p><b>Errors.</b> {@link IllegalArgumentException} for a value that does not fit its field, or that is missing; the message
 * names the field. The writer then holds a part of the row, which the caller rolls back.
 *
 * <p><b>Threads.</b> One.
 */
public final class RowFieldReader {
    private static final int ROOT = -1;

    private final StructNode root;

    /** Creates a reader of rows that become records of a schema. */
    public RowFieldReader(Struct schema) {
        root = new StructNode(schema, ROOT, "");
    }

    /** Reports a row. */
    public void read(Row row, RecordWriter writer) {
        root.fields(row, writer);
    }

    private static ValueNode node(FieldType type, int slot, String path) {
        if (type instanceof Struct struct) {
            return new StructNode(struct, slot, path);
        }
        if (type instanceof ListOf list) {
            return new ListNode(list, slot, path);
        }
        if (type instanceof MapOf map) {
            return new MapNode(map, slot, path);
        }
        if (type instanceof Scalar scalar) {
            return ScalarNode.of(scalar, slot, path);
        }
        throw new IllegalArgumentException("'" + path + "' recurses");
    }

    private static final class ListNode extends ValueNode {
        private final ValueNode element;
        private final boolean required;

        ListNode(ListOf type, int slot, String path) {
            super(slot, path);
            element = node(type.element(), slot + 1, path + "[]");
            required = type.elementsRequired();
        }

        @Override
        void write(Object value, RecordWriter writer) {
            List<?> elements = as(List.class, "a List", value);
            writer.beginList(slot);
            for (Object each : elements) {
                element.writeOrAbsent(each, required, writer);
            }
            writer.endList(slot);
        }
    }

    private static final class MapNode extends ValueNode {
        private final ValueNode key;
        private final ValueNode value;
        private final boolean required;

        MapNode(MapOf type, int slot, String path) {
            super(slot, path);
            key = node(type.key(), slot + 1, path + "[key]");
            value = node(type.value(), slot + 2, path + "[]");
            required = type.valuesRequired();
        }

        @Override
        void write(Object map, RecordWriter writer) {
            Map<?, ?> entries = as(Map.class, "a Map", map);
            writer.beginMap(slot);
            for (Map.Entry<?, ?> entry : entries.entrySet()) {
                key.writeOrAbsent(entry.getKey(), true, writer);
                value.writeOrAbsent(entry.getValue(), required, writer);
            }
            writer.endMap(slot);
        }
    }

    private static final class StructNode extends ValueNode {
        private final Struct struct;
        private final ValueNode[] fields;
        /** The shape of the last row and the positions of its fields. Rows of one source usually share a shape. */
        private @Nullable RowShape shape;

        private final int[] positions;

        StructNode(Struct struct, int slot, String path) {
            super(slot, path);
            this.struct = struct;
            fields = new ValueNode[struct.fields().size()];
            positions = new int[fields.length];
            int next = slot + 1;
            for (int i = 0; i < fields.length; i++) {
                Field field = struct.fields().get(i);
                fields[i] = node(field.type(), next, slot == ROOT ? field.name() : path + "." + field.name());
                next += FieldType.slots(field.type());
            }
        }

        @Override
        void write(Object value, RecordWriter writer) {
            Row row = as(Row.class, "a Row", value);
            writer.beginStruct(slot);
            fields(row, writer);
            writer.endStruct(slot);
        }

        void fields(Row row, RecordWriter writer) {
            find(row.shape());
            for (int i = 0; i < fields.length; i++) {
                Object value = positions[i] < 0 ? null : row.at(positions[i]);
                fields[i].writeOrAbsent(value, struct.fields().get(i).required(), writer);
            }
        }

        @SuppressWarnings("ReferenceEquality") // a cache of one entry
        private void find(RowShape of) {
            if (of != shape) {
                for (int i = 0; i < fields.length; i++) {
                    positions[i] = of.indexOf(struct.fields().get(i).name());
                }
                shape = of;
            }
        }
    }
}
