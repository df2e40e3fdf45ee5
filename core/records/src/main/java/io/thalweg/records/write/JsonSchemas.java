package io.thalweg.records.write;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
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
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;

/** Derives the JSON Schema of the messages that {@link JsonBytes} writes. */
public final class JsonSchemas {
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator json;

    private JsonSchemas(JsonGenerator json) {
        this.json = json;
    }

    /**
     * Derives a schema, as text. Fields that may be missing are not required; elements that may be null have two types.
     *
     * @throws SchemaException if a type contains itself
     */
    public static String of(Struct struct) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeStringField("$schema", "https://json-schema.org/draft/2020-12/schema");
            new JsonSchemas(json).struct(struct);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    private void struct(Struct struct) throws IOException {
        json.writeStringField("type", "object");
        json.writeArrayFieldStart("required");
        for (Field field : struct.fields()) {
            if (field.required()) {
                json.writeString(field.name());
            }
        }
        json.writeEndArray();
        json.writeObjectFieldStart("properties");
        for (Field field : struct.fields()) {
            value(field.name(), field.type(), true);
        }
        json.writeEndObject();
    }

    /** Writes the schema of a value as a member. */
    private void value(String member, FieldType type, boolean required) throws IOException {
        json.writeObjectFieldStart(member);
        if (!required) {
            json.writeArrayFieldStart("anyOf");
            json.writeStartObject();
        }
        type(type);
        if (!required) {
            json.writeEndObject();
            json.writeStartObject();
            json.writeStringField("type", "null");
            json.writeEndObject();
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private void type(FieldType type) throws IOException {
        if (type instanceof Struct struct) {
            struct(struct);
        } else if (type instanceof ListOf list) {
            json.writeStringField("type", "array");
            value("items", list.element(), list.elementsRequired());
        } else if (type instanceof MapOf map) {
            json.writeStringField("type", "object");
            value("additionalProperties", map.value(), map.valuesRequired());
        } else if (type instanceof Scalar scalar) {
            scalar(scalar);
        } else {
            throw new SchemaException("a type contains itself, which no table can hold; select other fields");
        }
    }

    private void scalar(Scalar type) throws IOException {
        if (type instanceof Bool) {
            json.writeStringField("type", "boolean");
        } else if (type instanceof Int integer) {
            json.writeStringField("type", "integer");
            json.writeStringField("format", "int" + integer.bits());
        } else if (type instanceof Real real) {
            json.writeStringField("type", "number");
            json.writeStringField("format", real.bits() == 32 ? "float" : "double");
        } else {
            json.writeStringField("type", "string");
            text(type);
        }
    }

    private void text(Scalar type) throws IOException {
        if (type instanceof Symbols symbols && !symbols.names().isEmpty()) {
            json.writeArrayFieldStart("enum");
            for (String name : symbols.names()) {
                json.writeString(name);
            }
            json.writeEndArray();
        } else if (type instanceof Bytes) {
            json.writeStringField("contentEncoding", "base64");
        } else if (type instanceof Decimal decimal) {
            json.writeStringField("format", "decimal");
            json.writeNumberField("x-precision", decimal.precision());
            json.writeNumberField("x-scale", decimal.scale());
        } else if (type instanceof Uuid || type instanceof Date || type instanceof Time) {
            json.writeStringField("format", type.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        } else if (type instanceof Timestamp timestamp) {
            json.writeStringField("format", timestamp.utc() ? "date-time" : "local-date-time");
        }
    }
}
