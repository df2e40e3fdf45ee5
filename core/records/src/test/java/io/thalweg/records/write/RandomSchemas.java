package io.thalweg.records.write;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random schemas of all types. */
public final class RandomSchemas {
    private static final int DEEPEST = 3;

    private final Random random;
    private final boolean nullElements;
    private final int deepest;

    private RandomSchemas(Random random, boolean nullElements, int deepest) {
        this.random = random;
        this.nullElements = nullElements;
        this.deepest = deepest;
    }

    /** Returns a schema of 1 to 20 fields. Elements may be null if {@code nullElements}, which Thrift does not support. */
    public static Struct next(Random random, boolean nullElements) {
        return new RandomSchemas(random, nullElements, DEEPEST).struct(1 + random.nextInt(20), 0);
    }

    /** Returns a schema of 1 to 20 fields, some of whose values are enclosed by {@code deepest} structs, lists and maps. */
    public static Struct nested(Random random, int deepest) {
        return new RandomSchemas(random, true, deepest).struct(1 + random.nextInt(20), 0);
    }

    private Struct struct(int size, int depth) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            FieldType type = type(depth);
            String name = "f" + i;
            fields.add(random.nextBoolean() ? Field.required(name, type) : Field.optional(name, type));
        }
        return new Struct(fields);
    }

    private FieldType type(int depth) {
        int kind = depth == deepest ? 9 : random.nextInt(10);
        return switch (kind) {
            case 0 -> struct(random.nextInt(6), depth + 1);
            case 1, 2 -> new ListOf(type(depth + 1), required());
            case 3 -> new MapOf(scalar(), type(depth + 1), required());
            default -> scalar();
        };
    }

    private boolean required() {
        return !nullElements || random.nextBoolean();
    }

    private Scalar scalar() {
        return switch (random.nextInt(18)) {
            case 0 -> FieldType.BOOL;
            case 1 -> FieldType.INT8;
            case 2 -> FieldType.INT16;
            case 3 -> FieldType.INT32;
            case 4 -> FieldType.INT64;
            case 5 -> FieldType.FLOAT;
            case 6 -> FieldType.DOUBLE;
            case 7 -> FieldType.BYTES;
            case 8 -> FieldType.UUID;
            case 9 -> decimal();
            case 10 -> FieldType.DATE;
            case 11 -> FieldType.TIME;
            case 12 -> FieldType.TIMESTAMP;
            case 13 -> FieldType.LOCAL_TIMESTAMP;
            case 14 -> new FieldType.Symbols(List.of("OPEN", "CLOSED", "MAYBE"));
            default -> FieldType.TEXT;
        };
    }

    private FieldType.Decimal decimal() {
        int precision = 1 + random.nextInt(38);
        return new FieldType.Decimal(precision, random.nextInt(precision + 1));
    }

    /** Returns the schema without lists of lists or maps, and without nulls in lists, which Protocol Buffers do not support. */
    public static Struct flat(Struct struct) {
        List<Field> fields = new ArrayList<>();
        for (Field field : struct.fields()) {
            fields.add(new Field(field.name(), flat(field.type()), field.required(), null));
        }
        return new Struct(fields);
    }

    private static FieldType flat(FieldType type) {
        if (type instanceof Struct struct) {
            return flat(struct);
        }
        if (type instanceof ListOf list) {
            FieldType element = list.element();
            while (element instanceof ListOf || element instanceof MapOf) {
                element = element instanceof ListOf inner ? inner.element() : ((MapOf) element).value();
            }
            return new ListOf(flat(element), true);
        }
        return type instanceof MapOf map ? new MapOf(map.key(), flat(map.value()), map.valuesRequired()) : type;
    }
}
