package io.thalweg.tables;

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
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.math.BigInteger;
import org.apache.parquet.schema.ConversionPatterns;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/** Converts the schema of records to that of a Parquet file: lists with three levels, times in microseconds, symbols as text. */
public final class ParquetSchemas {
    private static final int UUID_BYTES = 16;

    private ParquetSchemas() {}

    /**
     * Returns a schema as Parquet prints it.
     *
     * @throws SchemaException as {@link #of}
     */
    public static String text(Struct struct) {
        return of(struct).toString();
    }

    /**
     * Converts a schema.
     *
     * @throws SchemaException if Parquet cannot represent it, such as a struct without fields; the message names the
     *   field
     */
    public static MessageType of(Struct struct) {
        if (struct.fields().isEmpty()) {
            throw new SchemaException("a table must have at least one column; the schema has no fields");
        }
        return new MessageType(
                "record",
                struct.fields().stream().map(field -> field(field, "")).toList());
    }

    private static Type field(Field field, String prefix) {
        return type(field.name(), field.type(), field.required(), prefix + field.name());
    }

    /** Converts a node; the elements of lists and the values of maps have the path of their field. */
    private static Type type(String name, FieldType type, boolean required, String path) {
        Repetition repetition = required ? Repetition.REQUIRED : Repetition.OPTIONAL;
        if (type instanceof Struct struct) {
            if (struct.fields().isEmpty()) {
                throw new SchemaException("'" + path
                        + "' has a struct without fields, which Parquet cannot hold; leave it out with 'exclude'");
            }
            return new GroupType(
                    repetition,
                    name,
                    struct.fields().stream()
                            .map(field -> field(field, path + "."))
                            .toList());
        }
        if (type instanceof ListOf list) {
            return ConversionPatterns.listOfElements(
                    repetition, name, type("element", list.element(), list.elementsRequired(), path));
        }
        if (type instanceof MapOf map) {
            return ConversionPatterns.mapType(
                    repetition,
                    name,
                    "key_value",
                    type("key", map.key(), true, path),
                    type("value", map.value(), map.valuesRequired(), path));
        }
        return scalar(type, repetition).named(name);
    }

    private static Types.PrimitiveBuilder<PrimitiveType> scalar(FieldType type, Repetition repetition) {
        if (type instanceof Bool) {
            return Types.primitive(PrimitiveTypeName.BOOLEAN, repetition);
        }
        if (type instanceof Int integer) {
            return integer(integer.bits(), repetition);
        }
        if (type instanceof Real real) {
            return Types.primitive(real.bits() == 32 ? PrimitiveTypeName.FLOAT : PrimitiveTypeName.DOUBLE, repetition);
        }
        if (type instanceof Text || type instanceof Symbols) {
            return Types.primitive(PrimitiveTypeName.BINARY, repetition).as(LogicalTypeAnnotation.stringType());
        }
        if (type instanceof Bytes) {
            return Types.primitive(PrimitiveTypeName.BINARY, repetition);
        }
        if (type instanceof Uuid) {
            return Types.primitive(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, repetition)
                    .length(UUID_BYTES)
                    .as(LogicalTypeAnnotation.uuidType());
        }
        if (type instanceof Decimal decimal) {
            return Types.primitive(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, repetition)
                    .length(decimalBytes(decimal.precision()))
                    .as(LogicalTypeAnnotation.decimalType(decimal.scale(), decimal.precision()));
        }
        if (type instanceof Date) {
            return Types.primitive(PrimitiveTypeName.INT32, repetition).as(LogicalTypeAnnotation.dateType());
        }
        if (type instanceof Time) {
            return Types.primitive(PrimitiveTypeName.INT64, repetition)
                    .as(LogicalTypeAnnotation.timeType(false, TimeUnit.MICROS));
        }
        if (type instanceof Timestamp timestamp) {
            return Types.primitive(PrimitiveTypeName.INT64, repetition)
                    .as(LogicalTypeAnnotation.timestampType(timestamp.utc(), TimeUnit.MICROS));
        }
        throw new IllegalArgumentException("not a scalar: " + type);
    }

    private static Types.PrimitiveBuilder<PrimitiveType> integer(int bits, Repetition repetition) {
        if (bits == 64) {
            return Types.primitive(PrimitiveTypeName.INT64, repetition);
        }
        Types.PrimitiveBuilder<PrimitiveType> narrow = Types.primitive(PrimitiveTypeName.INT32, repetition);
        return bits == 32 ? narrow : narrow.as(LogicalTypeAnnotation.intType(bits, true));
    }

    /** Returns the least number of bytes for every unscaled value of a precision. */
    static int decimalBytes(int precision) {
        return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength() / 8 + 1;
    }
}
