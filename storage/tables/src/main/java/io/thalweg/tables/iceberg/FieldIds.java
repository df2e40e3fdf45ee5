package io.thalweg.tables.iceberg;

import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;

/** Adds the field ids of an Iceberg table to the columns of a Parquet schema. */
final class FieldIds {
    private FieldIds() {}

    /** Returns the schema with ids; each of its columns must be in the table. */
    static MessageType in(Schema table, MessageType file) {
        return new MessageType(file.getName(), fields(table.asStruct(), file));
    }

    private static List<org.apache.parquet.schema.Type> fields(Types.StructType table, GroupType file) {
        return file.getFields().stream()
                .map(field -> {
                    NestedField there = table.field(field.getName());
                    return marked(there.type(), field).withId(there.fieldId());
                })
                .toList();
    }

    private static org.apache.parquet.schema.Type marked(Type table, org.apache.parquet.schema.Type file) {
        if (table.isStructType()) {
            GroupType group = file.asGroupType();
            return group.withNewFields(fields(table.asStructType(), group));
        }
        if (table.isListType()) {
            Types.ListType list = table.asListType();
            GroupType repeated = file.asGroupType().getType(0).asGroupType();
            org.apache.parquet.schema.Type element =
                    marked(list.elementType(), repeated.getType(0)).withId(list.elementId());
            return file.asGroupType().withNewFields(repeated.withNewFields(element));
        }
        if (table.isMapType()) {
            Types.MapType map = table.asMapType();
            GroupType entry = file.asGroupType().getType(0).asGroupType();
            return file.asGroupType()
                    .withNewFields(entry.withNewFields(
                            marked(map.keyType(), entry.getType(0)).withId(map.keyId()),
                            marked(map.valueType(), entry.getType(1)).withId(map.valueId())));
        }
        return file;
    }
}
