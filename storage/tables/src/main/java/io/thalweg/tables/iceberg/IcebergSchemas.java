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
import org.jspecify.annotations.Nullable;

/** Converts the schema of records to an Iceberg schema: integers of 8 and 16 bits become {@code int}, symbols {@code string}. */
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
     * Returns the differences that prevent rows of one schema from being written to a table of another: columns that the table
     * lacks, that have another type, or that it requires and the rows may lack. Empty if there are none.
     */
    static List<String> differences(Schema rows, Schema table) {
        return Comparison.of(rows, table).differences;
    }

    /** Returns the columns that a table lacks, at any depth; columns below a missing one are not listed. */
    static List<Missing> missing(Schema rows, Schema table) {
        return Comparison.of(rows, table).missing;
    }

    /**
     * A column that a table lacks.
     *
     * @param parent the struct that lacks it, as Iceberg names it; null = the table
     */
    record Missing(@Nullable String parent, NestedField column) {}

    /** Compares rows with a table. */
    private static final class Comparison {
        private final List<String> differences = new ArrayList<>();
        private final List<Missing> missing = new ArrayList<>();

        static Comparison of(Schema rows, Schema table) {
            Comparison comparison = new Comparison();
            comparison.structs(rows.asStruct(), table.asStruct(), null);
            return comparison;
        }

        private void structs(Types.StructType rows, Types.StructType table, @Nullable String parent) {
            String prefix = parent == null ? "" : parent + ".";
            for (NestedField row : rows.fields()) {
                NestedField there = table.field(row.name());
                String path = prefix + row.name();
                if (there == null) {
                    differences.add("column %s (%s) is not in the table".formatted(path, row.type()));
                    missing.add(new Missing(parent, row));
                } else {
                    presence(row.isOptional(), there.isRequired(), path);
                    types(row.type(), there.type(), path);
                }
            }
            for (NestedField there : table.fields()) {
                if (there.isRequired() && rows.field(there.name()) == null) {
                    differences.add(
                            "column %s is required in the table, but is not written".formatted(prefix + there.name()));
                }
            }
        }

        private void presence(boolean mayLack, boolean isRequired, String path) {
            if (mayLack && isRequired) {
                differences.add("column %s is required in the table, but events may lack it".formatted(path));
            }
        }

        private void types(Type rows, Type table, String path) {
            if (rows.isStructType() && table.isStructType()) {
                structs(rows.asStructType(), table.asStructType(), path);
            } else if (rows.isListType() && table.isListType()) {
                Types.ListType row = rows.asListType();
                Types.ListType there = table.asListType();
                presence(row.isElementOptional(), there.isElementRequired(), path + ".element");
                types(row.elementType(), there.elementType(), path + ".element");
            } else if (rows.isMapType() && table.isMapType()) {
                Types.MapType row = rows.asMapType();
                Types.MapType there = table.asMapType();
                types(row.keyType(), there.keyType(), path + ".key");
                presence(row.isValueOptional(), there.isValueRequired(), path + ".value");
                types(row.valueType(), there.valueType(), path + ".value");
            } else if (!rows.equals(table)) {
                differences.add("column %s is %s in the table, but %s is written".formatted(path, table, rows));
            }
        }
    }
}
