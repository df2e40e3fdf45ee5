package io.thalweg.records.avro;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.jspecify.annotations.Nullable;

/** Converts the values of Avro's library to those of {@link NaiveRows}. */
final class NaiveAvro {
    private NaiveAvro() {}

    static Map<String, @Nullable Object> row(Schema schema, Object value) {
        Map<String, @Nullable Object> row = new HashMap<>();
        for (Schema.Field field : schema.getFields()) {
            row.put(field.name(), neutral(field.schema(), ((IndexedRecord) value).get(field.pos())));
        }
        return row;
    }

    private static @Nullable Object neutral(Schema schema, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        return switch (schema.getType()) {
            case NULL -> throw new AssertionError("null is " + value);
            case RECORD -> row(schema, value);
            case UNION -> union(schema, value);
            case ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                ((Iterable<?>) value).forEach(element -> list.add(neutral(schema.getElementType(), element)));
                yield list;
            }
            case MAP -> {
                Map<String, @Nullable Object> map = new HashMap<>();
                ((Map<?, ?>) value)
                        .forEach((key, element) -> map.put(key.toString(), neutral(schema.getValueType(), element)));
                yield map;
            }
            case INT, LONG -> micros(schema.getLogicalType(), ((Number) value).longValue());
            case FLOAT, DOUBLE -> ((Number) value).doubleValue();
            case BOOLEAN -> value;
            case ENUM -> value.toString();
            case STRING ->
                schema.getLogicalType() instanceof LogicalTypes.Uuid
                        ? bytes(UUID.fromString(value.toString()))
                        : value.toString();
            case BYTES -> decimal(schema, ((ByteBuffer) value));
            case FIXED -> decimal(schema, ByteBuffer.wrap(((GenericFixed) value).bytes()));
        };
    }

    private static @Nullable Object union(Schema schema, Object value) {
        int index = GenericData.get().resolveUnion(schema, value);
        List<Schema> others = new ArrayList<>(schema.getTypes());
        others.removeIf(type -> type.getType() == Schema.Type.NULL);
        Schema branch = schema.getTypes().get(index);
        if (others.size() == 1) {
            return neutral(branch, value);
        }
        Map<String, @Nullable Object> struct = new HashMap<>();
        others.forEach(type -> struct.put(type.getName(), null));
        struct.put(branch.getName(), neutral(branch, value));
        return struct;
    }

    private static Object micros(@Nullable LogicalType type, long value) {
        String name = type == null ? "" : type.getName();
        return name.endsWith("millis") ? value * 1000 : name.endsWith("nanos") ? Math.floorDiv(value, 1000L) : value;
    }

    private static Object decimal(Schema schema, ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return schema.getLogicalType() instanceof LogicalTypes.Decimal ? new BigInteger(copy) : ByteBuffer.wrap(copy);
    }

    private static ByteBuffer bytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .flip();
    }
}
