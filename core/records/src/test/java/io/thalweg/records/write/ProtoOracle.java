package io.thalweg.records.write;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads messages with the library's own reader. The library does not distinguish empty lists from absent ones: both are null. */
public final class ProtoOracle {
    private final Struct schema;
    private final Descriptor type;

    ProtoOracle(Struct schema, DescriptorProto message) throws DescriptorValidationException {
        this.schema = schema;
        FileDescriptorProto file = FileDescriptorProto.newBuilder()
                .setName("test.proto")
                .addMessageType(message)
                .build();
        type = FileDescriptor.buildFrom(file, new FileDescriptor[0])
                .getMessageTypes()
                .get(0);
    }

    /** Creates an oracle of messages with the textual forms. */
    public static ProtoOracle of(Struct schema) throws DescriptorValidationException {
        return new ProtoOracle(schema, ProtoDescriptors.of(schema, ProtoLayout.TEXTUAL, "Row"));
    }

    /** Returns the values of a message, by field. */
    public List<@Nullable Object> read(byte[] data, int from, int to) throws InvalidProtocolBufferException {
        DynamicMessage message = DynamicMessage.parseFrom(type, ByteString.copyFrom(data, from, to - from));
        if (!message.getUnknownFields().asMap().isEmpty()) {
            throw new InvalidProtocolBufferException("unknown fields: " + message.getUnknownFields());
        }
        return struct(schema, message);
    }

    private static List<@Nullable Object> struct(Struct struct, DynamicMessage message) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Field field : struct.fields()) {
            FieldDescriptor descriptor = message.getDescriptorForType().findFieldByName(field.name());
            values.add(field(field.type(), message, descriptor));
        }
        return values;
    }

    private static @Nullable Object field(FieldType type, DynamicMessage message, FieldDescriptor field) {
        if (field.isRepeated()) {
            List<@Nullable Object> elements = new ArrayList<>();
            for (Object element : (List<?>) message.getField(field)) {
                elements.add(
                        type instanceof ListOf list
                                ? value(list.element(), element)
                                : entry((MapOf) type, (DynamicMessage) element));
            }
            return elements.isEmpty() ? null : elements;
        }
        return message.hasField(field) ? value(type, message.getField(field)) : null;
    }

    private static List<@Nullable Object> entry(MapOf map, DynamicMessage entry) {
        Descriptor type = entry.getDescriptorForType();
        return Arrays.asList(
                field(map.key(), entry, type.findFieldByName("key")),
                field(map.value(), entry, type.findFieldByName("value")));
    }

    private static Object value(FieldType type, Object value) {
        if (type instanceof Struct struct) {
            return struct(struct, (DynamicMessage) value);
        }
        if (value instanceof Boolean) {
            return value;
        }
        if (value instanceof Number number) {
            return value instanceof Float || value instanceof Double
                    ? (Object) number.doubleValue()
                    : (Object) number.longValue();
        }
        if (value instanceof ByteString bytes) {
            return bytes.asReadOnlyByteBuffer();
        }
        return text(type, (String) value);
    }

    private static Object text(FieldType type, String text) {
        if (type instanceof Uuid) {
            UUID uuid = UUID.fromString(text);
            return ByteBuffer.allocate(16)
                    .putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits())
                    .flip();
        }
        if (type instanceof Decimal decimal) {
            return ByteBuffer.wrap(new BigDecimal(text)
                    .setScale(decimal.scale())
                    .unscaledValue()
                    .toByteArray());
        }
        if (type instanceof Time) {
            return LocalTime.parse(text).toNanoOfDay() / 1_000;
        }
        if (type instanceof Timestamp) {
            LocalDateTime epoch = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC);
            return epoch.until(LocalDateTime.parse(text), ChronoUnit.MICROS);
        }
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a record without empty lists and maps. */
    static @Nullable Object withoutEmpty(FieldType type, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (type instanceof Struct struct) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 0; i < struct.fields().size(); i++) {
                values.add(withoutEmpty(struct.fields().get(i).type(), ((List<?>) value).get(i)));
            }
            return values;
        }
        List<@Nullable Object> elements = new ArrayList<>();
        if (type instanceof ListOf list) {
            ((List<?>) value).forEach(each -> elements.add(withoutEmpty(list.element(), each)));
            return elements.isEmpty() ? null : elements;
        }
        if (type instanceof MapOf map) {
            ((List<?>) value).forEach(each -> {
                List<?> entry = (List<?>) each;
                elements.add(Arrays.asList(entry.get(0), withoutEmpty(map.value(), entry.get(1))));
            });
            return elements.isEmpty() ? null : elements;
        }
        return value;
    }
}
