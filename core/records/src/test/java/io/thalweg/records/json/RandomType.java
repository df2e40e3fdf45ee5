package io.thalweg.records.json;

import static java.util.Objects.requireNonNull;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A random type, its JSON Schema and its neutral type, each independent of the parser of schemas.
 *
 * @param members of an object
 * @param part of an array: its elements; of a map: its values
 */
record RandomType(
        Kind kind,
        boolean nullable,
        Map<String, Member> members,
        @Nullable RandomType part,
        int precision,
        int scale) {
    @SuppressWarnings("ImmutableEnumChecker")
    enum Kind {
        BOOLEAN("\"boolean\"", "", FieldType.BOOL),
        INT64("\"integer\"", "", FieldType.INT64),
        INT32("\"integer\"", ",\"format\":\"int32\"", FieldType.INT32),
        BOUNDED("\"integer\"", ",\"minimum\":-5,\"exclusiveMaximum\":2147483648", FieldType.INT32),
        DOUBLE("\"number\"", "", FieldType.DOUBLE),
        FLOAT("\"number\"", ",\"format\":\"float\"", FieldType.FLOAT),
        TEXT("\"string\"", ",\"maxLength\":1000", FieldType.TEXT),
        SYMBOLS("\"string\"", ",\"enum\":[\"A\",\"B\"]", new Symbols(List.of("A", "B"))),
        DATE("\"string\"", ",\"format\":\"date\"", FieldType.DATE),
        TIME("\"string\"", ",\"format\":\"time\"", FieldType.TIME),
        TIMESTAMP("\"string\"", ",\"format\":\"date-time\"", FieldType.TIMESTAMP),
        UUID("\"string\"", ",\"format\":\"uuid\"", FieldType.UUID),
        BASE64("\"string\"", ",\"contentEncoding\":\"base64\"", FieldType.BYTES),
        SECONDS("\"integer\"", ",\"x-unit\":\"s\"", FieldType.TIMESTAMP),
        MILLIS("\"integer\"", ",\"x-unit\":\"ms\"", FieldType.TIMESTAMP),
        DECIMAL("\"number\"", ",\"format\":\"decimal\"", null),
        DECIMAL_TEXT("\"string\"", ",\"format\":\"decimal\"", null),
        OBJECT("\"object\"", "", null),
        ARRAY("\"array\"", "", null),
        MAP("\"object\"", "", null);

        private static final Kind[] ALL = values();

        private final String type;
        private final String rest;
        private final @Nullable FieldType neutral;

        Kind(String type, String rest, @Nullable FieldType neutral) {
            this.type = type;
            this.rest = rest;
            this.neutral = neutral;
        }
    }

    /** A member of an object. */
    record Member(
            RandomType type, boolean required, @Nullable Long fallback) {
        boolean isRequired() {
            return required && !type.nullable();
        }
    }

    private static final String[] NAMES = {
        "a", "id", "größe", "a b", "x\"y", "\\", "日本", "", "very_long_name_of_a_field", "😀", "e\ne", "v1"
    };

    static RandomType root(Random random) {
        return object(random, 3, false);
    }

    private static RandomType any(Random random, int depth) {
        boolean nullable = random.nextInt(4) == 0;
        Kind kind = Kind.ALL[random.nextInt(Kind.ALL.length - (depth == 0 ? 3 : 0))];
        int precision = 1 + random.nextInt(38);
        int scale = random.nextInt(precision + 1);
        return switch (kind) {
            case OBJECT -> object(random, depth - 1, nullable);
            case ARRAY, MAP -> new RandomType(kind, nullable, Map.of(), any(random, depth - 1), 0, 0);
            default -> new RandomType(kind, nullable, Map.of(), null, precision, scale);
        };
    }

    private static RandomType object(Random random, int depth, boolean nullable) {
        Map<String, Member> members = new LinkedHashMap<>();
        int size = random.nextInt(20) == 0 ? 70 : 1 + random.nextInt(8);
        for (int i = 0; i < size; i++) {
            String name = random.nextBoolean() ? NAMES[random.nextInt(NAMES.length)] : "f" + random.nextInt(100);
            RandomType type = any(random, depth);
            boolean hasDefault = type.kind == Kind.INT64 && random.nextBoolean();
            members.put(name, new Member(type, random.nextBoolean(), hasDefault ? random.nextLong() : null));
        }
        return new RandomType(Kind.OBJECT, nullable, members, null, 0, 0);
    }

    /** Returns the text of the schema, in one of the notations of null and references. */
    String schema(Random random) {
        StringBuilder definitions = new StringBuilder();
        String root = schema(random, definitions);
        return root.substring(0, root.length() - 1) + ",\"$defs\":{" + definitions + "\"unused\":{}}}";
    }

    private String schema(Random random, StringBuilder definitions) {
        boolean inType = random.nextBoolean();
        String type = nullable && inType ? "[" + kind.type + ",\"null\"]" : kind.type;
        StringBuilder text = new StringBuilder("{\"description\":\"d\",\"type\":" + type + kind.rest);
        if (kind == Kind.DECIMAL || kind == Kind.DECIMAL_TEXT) {
            text.append(",\"x-precision\":" + precision + ",\"x-scale\":" + scale);
        } else if (kind == Kind.ARRAY || kind == Kind.MAP) {
            String keyword = kind == Kind.ARRAY ? ",\"items\":" : ",\"additionalProperties\":";
            text.append(keyword).append(part().schema(random, definitions));
        } else if (kind == Kind.OBJECT) {
            properties(random, text, definitions);
        }
        String plain = text + "}";
        if (nullable && !inType) {
            plain = "{\"anyOf\":[{\"type\":\"null\"}," + plain + "]}";
        }
        if (definitions.length() > 0 && random.nextInt(4) == 0) {
            int number = definitions.length();
            definitions.append("\"d/" + number + "\":" + plain + ",");
            return "{\"$ref\":\"#/$defs/d~1" + number + "\"}";
        }
        definitions.append(definitions.length() == 0 ? "\"none\":{}," : "");
        return plain;
    }

    private void properties(Random random, StringBuilder text, StringBuilder definitions) {
        List<String> properties = new ArrayList<>();
        List<String> required = new ArrayList<>();
        members.forEach((name, member) -> {
            String schema = member.type.schema(random, definitions);
            String withDefault = member.fallback == null
                    ? schema
                    : schema.substring(0, schema.length() - 1) + ",\"default\":" + member.fallback + "}";
            properties.add(RandomDocument.quoted(name) + ":" + withDefault);
            if (member.required) {
                required.add(RandomDocument.quoted(name));
            }
        });
        text.append(",\"properties\":{" + String.join(",", properties) + "}");
        text.append(",\"required\":[" + String.join(",", required) + "]");
    }

    @Override
    public RandomType part() {
        return requireNonNull(part);
    }

    Member member(String name) {
        return requireNonNull(members.get(name));
    }

    FieldType neutral() {
        return switch (kind) {
            case OBJECT ->
                new Struct(members.entrySet().stream()
                        .map(entry -> new Field(
                                entry.getKey(),
                                entry.getValue().type().neutral(),
                                entry.getValue().isRequired(),
                                entry.getValue().fallback()))
                        .toList());
            case ARRAY -> new ListOf(part().neutral(), !part().nullable);
            case MAP -> new MapOf(FieldType.TEXT, part().neutral(), !part().nullable);
            case DECIMAL, DECIMAL_TEXT -> new Decimal(precision, scale);
            default -> requireNonNull(kind.neutral);
        };
    }
}
