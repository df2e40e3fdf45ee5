package io.thalweg.tables.iceberg;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** The Iceberg schema of records: integers of 8 and 16 bits are {@code int}, symbols are {@code string}. */
final class IcebergSchemas {
    private int lastId;

    private IcebergSchemas() {}

    /** Converts a schema; ids are those of a new table. */
    static Schema of(Struct struct) {
        return new Schema(new IcebergSchemas().struct(struct).fields());
    }

    private Types.StructType struct(Struct struct) {
        List<NestedField> fields = new ArrayList<>();
        for (Field field : struct.fields()) {
            int id = ++lastId;
            Type type = type(field.type());
            fields.add(
                    field.required()
                            ? NestedField.required(id, field.name(), type)
                            : NestedField.optional(id, field.name(), type));
        }
        return Types.StructType.of(fields);
    }

    private Type type(FieldType type) {
        if (type instanceof Struct struct) {
            return struct(struct);
        }
        if (type instanceof ListOf list) {
            int id = ++lastId;
            Type element = type(list.element());
            return list.elementsRequired()
                    ? Types.ListType.ofRequired(id, element)
                    : Types.ListType.ofOptional(id, element);
        }
        if (type instanceof MapOf map) {
            int key = ++lastId;
            int value = ++lastId;
            Type keys = type(map.key());
            Type values = type(map.value());
            return map.valuesRequired()
                    ? Types.MapType.ofRequired(key, value, keys, values)
                    : Types.MapType.ofOptional(key, value, keys, values);
        }
        return scalar(type);
    }

    private static Type scalar(FieldType type) {
        if (type instanceof Bool) {
            return Types.BooleanType.get();
        }
        if (type instanceof Int integer) {
            return integer.bits() == 64 ? Types.LongType.get() : Types.IntegerType.get();
        }
        if (type instanceof Real real) {
            return real.bits() == 32 ? Types.FloatType.get() : Types.DoubleType.get();
        }
        if (type instanceof Text || type instanceof Symbols) {
            return Types.StringType.get();
        }
        if (type instanceof Bytes) {
            return Types.BinaryType.get();
        }
        if (type instanceof Uuid) {
            return Types.UUIDType.get();
        }
        if (type instanceof Decimal decimal) {
            return Types.DecimalType.of(decimal.precision(), decimal.scale());
        }
        if (type instanceof Date) {
            return Types.DateType.get();
        }
        if (type instanceof Time) {
            return Types.TimeType.get();
        }
        if (type instanceof Timestamp timestamp) {
            return timestamp.utc() ? Types.TimestampType.withZone() : Types.TimestampType.withoutZone();
        }
        throw new IllegalArgumentException("not a scalar: " + type);
    }

    /**
     * What keeps rows of one schema from being written to a table of another: columns that the table lacks, of another type, or
     * that it requires and the rows may lack. Empty if nothing does.
     */
    static List<String> differences(Schema rows, Schema table) {
        List<String> differences = new ArrayList<>();
        compare(rows.asStruct(), table.asStruct(), "", differences);
        return differences;
    }

    private static void compare(
            Types.StructType rows, Types.StructType table, String prefix, List<String> differences) {
        for (NestedField row : rows.fields()) {
            NestedField there = table.field(row.name());
            String path = prefix + row.name();
            if (there == null) {
                differences.add("column %s (%s) is not in the table".formatted(path, row.type()));
            } else {
                if (there.isRequired() && row.isOptional()) {
                    differences.add("column %s is required in the table, but events may lack it".formatted(path));
                }
                compare(row.type(), there.type(), path, differences);
            }
        }
        for (NestedField there : table.fields()) {
            if (there.isRequired() && rows.field(there.name()) == null) {
                differences.add(
                        "column %s is required in the table, but is not written".formatted(prefix + there.name()));
            }
        }
    }

    private static void compare(Type rows, Type table, String path, List<String> differences) {
        if (rows.isStructType() && table.isStructType()) {
            compare(rows.asStructType(), table.asStructType(), path + ".", differences);
        } else if (rows.isListType() && table.isListType()) {
            compare(rows.asListType().elementType(), table.asListType().elementType(), path + ".element", differences);
        } else if (rows.isMapType() && table.isMapType()) {
            compare(rows.asMapType().keyType(), table.asMapType().keyType(), path + ".key", differences);
            compare(rows.asMapType().valueType(), table.asMapType().valueType(), path + ".value", differences);
        } else if (!rows.equals(table)) {
            differences.add("column %s is %s in the table, but %s is written".formatted(path, table, rows));
        }
    }
}
