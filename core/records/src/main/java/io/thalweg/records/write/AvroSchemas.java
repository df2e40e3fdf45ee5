package io.thalweg.records.write;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaFormatter;

/** Derives the Avro schema for the records of a neutral schema. */
public final class AvroSchemas {
    private AvroSchemas() {}

    /**
     * Derives a schema.
     *
     * <p>Optional fields are unions with null, which comes first. Times are in microseconds; a UUID is a string; symbols are an
     * enum if all names are valid in Avro, otherwise a string. A map whose keys are not text is an array of records
     * {@code key, value}, which has the same encoding.
     *
     * @param name of the record; types below it are named after their path
     * @throws SchemaException if a name is not valid in Avro
     */
    public static Schema of(Struct struct, String name) {
        try {
            return record(struct, name);
        } catch (AvroRuntimeException e) {
            throw new SchemaException("no schema of Avro can be derived: " + e.getMessage() + "; rename the field", e);
        }
    }

    /**
     * Derives a schema, as JSON over several lines.
     *
     * @see #of
     */
    public static String text(Struct struct, String name) {
        return SchemaFormatter.format("json/pretty", of(struct, name));
    }

    private static Schema record(Struct struct, String name) {
        List<Schema.Field> fields = new ArrayList<>();
        for (Field field : struct.fields()) {
            Schema type = of(field.type(), name + "_" + field.name());
            fields.add(
                    field.required()
                            ? new Schema.Field(field.name(), type)
                            : new Schema.Field(field.name(), nullable(type), null, Schema.Field.NULL_DEFAULT_VALUE));
        }
        return Schema.createRecord(name, null, null, false, fields);
    }

    private static Schema of(FieldType type, String name) {
        if (type instanceof Struct struct) {
            return record(struct, name);
        }
        if (type instanceof ListOf list) {
            return Schema.createArray(item(list.element(), list.elementsRequired(), name));
        }
        if (type instanceof MapOf map) {
            return map(map, name);
        }
        if (type instanceof Scalar scalar) {
            return scalar(scalar, name);
        }
        throw new SchemaException("'" + name + "' recurses, which no table can hold; select other fields");
    }

    private static Schema map(MapOf map, String name) {
        Schema value = item(map.value(), map.valuesRequired(), name);
        if (map.key() instanceof Text) {
            return Schema.createMap(value);
        }
        Schema key = scalar(map.key(), name + "_key");
        return Schema.createArray(Schema.createRecord(
                name + "_entry",
                null,
                null,
                false,
                List.of(new Schema.Field("key", key), new Schema.Field("value", value))));
    }

    private static Schema item(FieldType type, boolean required, String name) {
        Schema item = of(type, name + "_item");
        return required ? item : nullable(item);
    }

    private static Schema nullable(Schema type) {
        return Schema.createUnion(Schema.create(Schema.Type.NULL), type);
    }

    private static Schema scalar(Scalar type, String name) {
        if (type instanceof Int integer) {
            return Schema.create(integer.bits() < 64 ? Schema.Type.INT : Schema.Type.LONG);
        }
        if (type instanceof Real real) {
            return Schema.create(real.bits() == 32 ? Schema.Type.FLOAT : Schema.Type.DOUBLE);
        }
        if (type instanceof Bool) {
            return Schema.create(Schema.Type.BOOLEAN);
        }
        if (type instanceof Text) {
            return Schema.create(Schema.Type.STRING);
        }
        if (type instanceof Symbols symbols) {
            return symbols(symbols.names(), name);
        }
        return logical(type);
    }

    private static Schema symbols(List<String> names, String name) {
        return !names.isEmpty() && names.stream().allMatch(each -> each.matches("[A-Za-z_][A-Za-z0-9_]*"))
                ? Schema.createEnum(name, null, null, names)
                : Schema.create(Schema.Type.STRING);
    }

    private static Schema logical(Scalar type) {
        if (type instanceof Uuid) {
            return LogicalTypes.uuid().addToSchema(Schema.create(Schema.Type.STRING));
        }
        if (type instanceof Date) {
            return LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
        }
        if (type instanceof Time) {
            return LogicalTypes.timeMicros().addToSchema(Schema.create(Schema.Type.LONG));
        }
        if (type instanceof Timestamp timestamp) {
            Schema micros = Schema.create(Schema.Type.LONG);
            return timestamp.utc()
                    ? LogicalTypes.timestampMicros().addToSchema(micros)
                    : LogicalTypes.localTimestampMicros().addToSchema(micros);
        }
        Schema bytes = Schema.create(Schema.Type.BYTES);
        return type instanceof Decimal decimal
                ? LogicalTypes.decimal(decimal.precision(), decimal.scale()).addToSchema(bytes)
                : bytes;
    }
}
