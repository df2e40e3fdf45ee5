package io.thalweg.records.avro;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Converts Avro's types to neutral ones. */
final class AvroTypes {
    /** A schema whose records refer to each other can expand to any number of fields. */
    private static final int MOST_FIELDS = 1 << 16;

    private final Set<String> open = new HashSet<>();
    private int fields;

    private AvroTypes() {}

    static Struct struct(Schema root) {
        return new AvroTypes().record(root, "");
    }

    private Struct record(Schema schema, String prefix) {
        open.add(schema.getFullName());
        List<Field> converted = new ArrayList<>();
        for (Schema.Field field : schema.getFields()) {
            countField();
            converted.add(field(field.name(), field.schema(), prefix + field.name()));
        }
        open.remove(schema.getFullName());
        return new Struct(converted);
    }

    private void countField() {
        if (++fields > MOST_FIELDS) {
            throw new SchemaException("the Avro schema unfolds to more than " + MOST_FIELDS
                    + " fields, because its records refer to each other many times; refer to them fewer times");
        }
    }

    private Field field(String name, Schema schema, String path) {
        Shape shape = Shape.of(schema);
        return new Field(name, type(shape, path), !shape.nullable(), null);
    }

    private FieldType type(Shape shape, String path) {
        if (shape.types().isEmpty()) {
            return FieldType.TEXT;
        }
        return shape.isStruct() ? branches(shape, path) : plain(shape.types().get(0), path);
    }

    private Struct branches(Shape shape, String path) {
        List<Field> branches = new ArrayList<>();
        for (int i = 0; i < shape.types().size(); i++) {
            countField();
            String name = shape.name(i);
            branches.add(Field.optional(name, plain(shape.types().get(i), path + "." + name)));
        }
        return new Struct(branches);
    }

    private FieldType plain(Schema schema, String path) {
        return switch (schema.getType()) {
            case RECORD ->
                open.contains(schema.getFullName()) ? new Recursive(schema.getFullName()) : record(schema, path + ".");
            case ARRAY -> {
                Shape element = Shape.of(schema.getElementType());
                yield new ListOf(type(element, path), !element.nullable());
            }
            case MAP -> {
                Shape value = Shape.of(schema.getValueType());
                yield new MapOf(FieldType.TEXT, type(value, path), !value.nullable());
            }
            default -> scalar(schema, path);
        };
    }

    private static FieldType scalar(Schema schema, String path) {
        LogicalType logical = schema.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal decimal) {
            return decimal(decimal, path);
        }
        return switch (schema.getType()) {
            case BOOLEAN -> FieldType.BOOL;
            case INT -> temporal(logical, FieldType.INT32);
            case LONG -> temporal(logical, FieldType.INT64);
            case FLOAT -> FieldType.FLOAT;
            case DOUBLE -> FieldType.DOUBLE;
            case STRING -> isUuid(logical) ? FieldType.UUID : FieldType.TEXT;
            case FIXED -> isUuid(logical) && schema.getFixedSize() == 16 ? FieldType.UUID : FieldType.BYTES;
            case BYTES -> FieldType.BYTES;
            case ENUM -> new Symbols(schema.getEnumSymbols());
            default -> throw new IllegalStateException("not a scalar: " + schema.getType());
        };
    }

    private static FieldType decimal(LogicalTypes.Decimal decimal, String path) {
        try {
            return new Decimal(decimal.getPrecision(), decimal.getScale());
        } catch (SchemaException e) {
            throw new SchemaException("'" + path + "': " + e.getMessage(), e);
        }
    }

    private static boolean isUuid(LogicalType logical) {
        return logical instanceof LogicalTypes.Uuid;
    }

    private static FieldType temporal(LogicalType logical, FieldType otherwise) {
        if (logical == null) {
            return otherwise;
        }
        return switch (logical.getName()) {
            case "date" -> FieldType.DATE;
            case "time-millis", "time-micros" -> FieldType.TIME;
            case "timestamp-millis", "timestamp-micros", "timestamp-nanos" -> FieldType.TIMESTAMP;
            case "local-timestamp-millis", "local-timestamp-micros", "local-timestamp-nanos" ->
                FieldType.LOCAL_TIMESTAMP;
            default -> otherwise;
        };
    }
}
