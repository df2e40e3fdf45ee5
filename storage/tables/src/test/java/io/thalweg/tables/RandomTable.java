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
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random schemas that Parquet can represent, and random {@linkplain TableValues values} of them. */
public final class RandomTable {
    private static final int DEEPEST = 4;
    private static final List<String> NAMES = List.of("OPEN", "CLOSED", "MAYBE");
    private static final List<Scalar> PLAIN = List.of(
            FieldType.BOOL,
            FieldType.INT8,
            FieldType.INT16,
            FieldType.INT32,
            FieldType.INT64,
            FieldType.FLOAT,
            FieldType.DOUBLE,
            FieldType.TEXT,
            FieldType.BYTES,
            FieldType.UUID,
            FieldType.DATE,
            FieldType.TIME,
            FieldType.TIMESTAMP,
            FieldType.LOCAL_TIMESTAMP,
            new FieldType.Symbols(NAMES));

    private final Random random;

    public RandomTable(Random random) {
        this.random = random;
    }

    public Struct schema() {
        return struct(1 + random.nextInt(12), 0);
    }

    private Struct struct(int size, int depth) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            FieldType type = type(depth);
            fields.add(
                    random.nextBoolean()
                            ? Field.required("f%d x".formatted(i), type)
                            : Field.optional("f%d".formatted(i), type));
        }
        return new Struct(fields);
    }

    private FieldType type(int depth) {
        int kind = depth == DEEPEST ? 9 : random.nextInt(10);
        return switch (kind) {
            case 0 -> struct(1 + random.nextInt(4), depth + 1);
            case 1, 2 -> new ListOf(type(depth + 1), random.nextBoolean());
            case 3 -> new MapOf(scalar(), type(depth + 1), random.nextBoolean());
            default -> scalar();
        };
    }

    private Scalar scalar() {
        int kind = random.nextInt(PLAIN.size() + 2);
        if (kind < PLAIN.size()) {
            return PLAIN.get(kind);
        }
        int precision = 1 + random.nextInt(38);
        return new Decimal(precision, random.nextInt(precision + 1));
    }

    public List<@Nullable Object> row(Struct schema) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Field field : schema.fields()) {
            values.add(value(field.type(), field.required()));
        }
        return values;
    }

    private @Nullable Object value(FieldType type, boolean required) {
        return required || random.nextInt(4) > 0 ? value(type) : null;
    }

    private Object value(FieldType type) {
        if (type instanceof Struct struct) {
            return row(struct);
        }
        List<@Nullable Object> parts = new ArrayList<>();
        if (type instanceof ListOf list) {
            for (int i = random.nextInt(4); i > 0; i--) {
                parts.add(value(list.element(), list.elementsRequired()));
            }
            return parts;
        }
        if (type instanceof MapOf map) {
            for (int i = random.nextInt(4); i > 0; i--) {
                List<@Nullable Object> entry = new ArrayList<>();
                entry.add(value(map.key()));
                entry.add(value(map.value(), map.valuesRequired()));
                parts.add(entry);
            }
            return parts;
        }
        return scalar(type);
    }

    private Object scalar(FieldType type) {
        if (type instanceof Bool) {
            return random.nextBoolean();
        }
        if (type instanceof Real real) {
            double value = Double.longBitsToDouble(random.nextLong());
            return real.bits() == 32 ? (double) (float) value : value;
        }
        if (type instanceof Int integer) {
            return random.nextLong() >> (64 - integer.bits());
        }
        if (type instanceof Date) {
            return (long) random.nextInt();
        }
        if (type instanceof Time) {
            return random.nextLong(86_400_000_000L);
        }
        return type instanceof Timestamp ? (Object) random.nextLong() : bytes(type);
    }

    private ByteBuffer bytes(FieldType type) {
        if (type instanceof Decimal decimal) {
            BigInteger bound = BigInteger.TEN.pow(random.nextInt(decimal.precision() + 1));
            BigInteger magnitude = new BigInteger(128, random).mod(bound);
            return ByteBuffer.wrap((random.nextBoolean() ? magnitude : magnitude.negate()).toByteArray());
        }
        if (type instanceof Bytes || type instanceof Uuid) {
            byte[] bytes = new byte[type instanceof Uuid ? 16 : random.nextInt(20)];
            random.nextBytes(bytes);
            return ByteBuffer.wrap(bytes);
        }
        return TableValues.text(
                type instanceof FieldType.Symbols
                        ? NAMES.get(random.nextInt(NAMES.size()))
                        : "日".repeat(random.nextInt(3)) + random.nextInt(1000));
    }
}
