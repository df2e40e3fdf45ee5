package io.thalweg.records.json;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts the schema of a scalar to its type. */
final class JsonScalars {
    private static final BigDecimal SMALLEST_INT = BigDecimal.valueOf(Integer.MIN_VALUE);
    private static final BigDecimal LARGEST_INT = BigDecimal.valueOf(Integer.MAX_VALUE);

    private final JsonTree.Obj schema;
    private final String file;
    private final String at;
    private final String format;

    JsonScalars(JsonTree.Obj schema, String file, String at) {
        this.schema = schema;
        this.file = file;
        this.at = at;
        this.format = text("format");
    }

    /** Returns whether the schema lists only strings and null. */
    static boolean hasSymbols(JsonTree.Obj schema) {
        return !symbols(schema).isEmpty();
    }

    private static List<String> symbols(JsonTree.Obj schema) {
        List<String> names = new ArrayList<>();
        if (schema.get("const") instanceof JsonTree.Text only) {
            names.add(only.value());
        } else if (schema.get("enum") instanceof JsonTree.Arr values) {
            for (JsonTree value : values.elements()) {
                if (value instanceof JsonTree.Text name) {
                    names.add(name.value());
                } else if (!(value instanceof JsonTree.Null)) {
                    return List.of();
                }
            }
        }
        return names;
    }

    JsonType parse(String type) {
        if (schema.has("x-unit") && !type.equals("integer")) {
            throw problem("/x-unit", "x-unit is for integers; remove it, or write type integer");
        }
        boolean isDecimal = format.equals("decimal");
        if (!isDecimal && (schema.has("x-precision") || schema.has("x-scale"))) {
            throw problem("", "x-precision and x-scale are for decimals; add \"format\": \"decimal\"");
        }
        return switch (type) {
            case "boolean" -> JsonType.scalar(FieldType.BOOL, Spelling.BOOL);
            case "integer" -> integer();
            case "number" -> isDecimal ? decimal(Spelling.DECIMAL) : number();
            case "string" -> isDecimal ? decimal(Spelling.DECIMAL_TEXT) : string();
            default ->
                throw problem(
                        "/type",
                        "'" + type
                                + "' must be one of object, array, string, integer, number, boolean, or one of them and null");
        };
    }

    private JsonType integer() {
        if (schema.has("x-unit")) {
            return JsonType.scalar(
                    FieldType.TIMESTAMP,
                    switch (text("x-unit")) {
                        case "s" -> Spelling.EPOCH_SECONDS;
                        case "ms" -> Spelling.EPOCH_MILLIS;
                        case "us" -> Spelling.EPOCH_MICROS;
                        default -> throw problem("/x-unit", "x-unit must be s, ms or us");
                    });
        }
        return JsonType.scalar(
                switch (format) {
                    case "int8" -> FieldType.INT8;
                    case "int16" -> FieldType.INT16;
                    case "int32" -> FieldType.INT32;
                    case "int64" -> FieldType.INT64;
                    case "decimal" ->
                        throw problem("/format", "a decimal is a string or a number; write one of these types");
                    default -> hasIntBounds() ? FieldType.INT32 : FieldType.INT64;
                },
                Spelling.INT);
    }

    private boolean hasIntBounds() {
        BigDecimal lower = number("minimum");
        BigDecimal upper = number("maximum");
        BigDecimal above = number("exclusiveMinimum");
        BigDecimal below = number("exclusiveMaximum");
        boolean hasLower = (lower != null && lower.compareTo(SMALLEST_INT) >= 0)
                || (above != null && above.compareTo(SMALLEST_INT.subtract(BigDecimal.ONE)) >= 0);
        boolean hasUpper = (upper != null && upper.compareTo(LARGEST_INT) <= 0)
                || (below != null && below.compareTo(LARGEST_INT.add(BigDecimal.ONE)) <= 0);
        return hasLower && hasUpper;
    }

    private @Nullable BigDecimal number(String keyword) {
        return schema.get(keyword) instanceof JsonTree.Num number ? new BigDecimal(number.text()) : null;
    }

    private JsonType number() {
        return format.equals("float")
                ? JsonType.scalar(FieldType.FLOAT, Spelling.FLOAT)
                : JsonType.scalar(FieldType.DOUBLE, Spelling.DOUBLE);
    }

    private JsonType decimal(Spelling spelling) {
        int precision = digits("x-precision");
        int scale = digits("x-scale");
        try {
            return JsonType.scalar(new Decimal(precision, scale), spelling);
        } catch (SchemaException e) {
            throw problem("", String.valueOf(e.getMessage()));
        }
    }

    private int digits(String keyword) {
        if (schema.get(keyword) instanceof JsonTree.Num number && number.text().matches("\\d{1,4}")) {
            return Integer.parseInt(number.text());
        }
        throw problem(
                "/" + keyword, "a decimal needs x-precision (1 to 38) and x-scale (0 to the precision) as integers");
    }

    private JsonType string() {
        if (schema.has("contentEncoding")) {
            String encoding = text("contentEncoding");
            if (!encoding.equals("base64")) {
                throw problem("/contentEncoding", "'" + encoding + "' is not supported; write base64");
            }
            return JsonType.scalar(FieldType.BYTES, Spelling.BASE64);
        }
        return switch (format) {
            case "date" -> JsonType.scalar(FieldType.DATE, Spelling.DATE);
            case "time" -> JsonType.scalar(FieldType.TIME, Spelling.TIME);
            case "date-time" -> JsonType.scalar(FieldType.TIMESTAMP, Spelling.TIMESTAMP);
            case "uuid" -> JsonType.scalar(FieldType.UUID, Spelling.UUID);
            default -> {
                List<String> names = symbols(schema);
                yield JsonType.scalar(names.isEmpty() ? FieldType.TEXT : new Symbols(names), Spelling.TEXT);
            }
        };
    }

    /** Returns the value of a keyword, or empty text if it is missing. */
    private String text(String keyword) {
        JsonTree value = schema.get(keyword);
        if (value == null) {
            return "";
        }
        if (value instanceof JsonTree.Text text) {
            return text.value();
        }
        throw problem("/" + keyword, keyword + " must be a string");
    }

    private SchemaException problem(String where, String what) {
        return new SchemaException(file + at + where + ": " + what);
    }
}
