package io.thalweg.records.proto;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The library's reading of a message, in the form of {@link NaiveRows}. */
final class LibraryRows {
    private LibraryRows() {}

    /** Returns the fields at the paths, by column. */
    static Map<String, @Nullable Object> row(DynamicMessage message, Map<String, List<String>> columns) {
        Map<String, @Nullable Object> row = new TreeMap<>();
        columns.forEach((name, path) -> row.put(name, at(message, path)));
        return row;
    }

    private static @Nullable Object at(Message message, List<String> path) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(path.get(0));
        if (path.size() == 1) {
            return field(message, field);
        }
        return message.hasField(field) ? at((Message) message.getField(field), path.subList(1, path.size())) : null;
    }

    private static @Nullable Object field(Message message, FieldDescriptor field) {
        if (field.isRepeated()) {
            List<@Nullable Object> values = new ArrayList<>();
            for (Object value : (List<?>) message.getField(field)) {
                if (field.isMapField()) {
                    values.add(part((Message) value, 1));
                    values.add(part((Message) value, 2));
                } else {
                    values.add(value(field, value));
                }
            }
            return values;
        }
        boolean hasDefault = field.hasDefaultValue() && field.getRealContainingOneof() == null;
        return field.hasPresence() && !message.hasField(field) && !hasDefault
                ? null
                : value(field, message.getField(field));
    }

    private static Object part(Message message, int number) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByNumber(number);
        return value(field, message.getField(field));
    }

    private static Object value(FieldDescriptor field, Object value) {
        return switch (field.getType()) {
            case BOOL -> value;
            case FLOAT -> (double) (Float) value;
            case DOUBLE -> value;
            case UINT32, FIXED32 -> Integer.toUnsignedLong((Integer) value);
            case STRING -> value;
            case BYTES -> HexFormat.of().formatHex(((ByteString) value).toByteArray());
            case ENUM -> symbol(field.getEnumType(), ((EnumValueDescriptor) value).getNumber());
            case MESSAGE, GROUP -> message((Message) value);
            default -> ((Number) value).longValue();
        };
    }

    private static String symbol(EnumDescriptor type, int number) {
        EnumValueDescriptor known = type.findValueByNumber(number);
        return known == null ? Integer.toString(number) : known.getName();
    }

    private static Object message(Message message) {
        String name = message.getDescriptorForType().getFullName();
        if (name.equals("google.protobuf.Timestamp") || name.equals("google.protobuf.Duration")) {
            BigInteger nanos = BigInteger.valueOf((Long) part(message, 1))
                    .multiply(BigInteger.valueOf(1_000_000_000))
                    .add(BigInteger.valueOf((Long) part(message, 2)));
            return new BigDecimal(nanos)
                    .divide(BigDecimal.valueOf(1_000), 0, RoundingMode.FLOOR)
                    .longValueExact();
        }
        if (name.startsWith("google.protobuf.")) {
            return part(message, 1);
        }
        Map<String, @Nullable Object> fields = new TreeMap<>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            fields.put(field.getName(), field(message, field));
        }
        return fields;
    }

    /** Returns the number of unknown fields in the message and all nested messages. */
    static long unknownFields(Message message) {
        long count = 0;
        for (UnknownFieldSet.Field field : message.getUnknownFields().asMap().values()) {
            count += field.getVarintList().size()
                    + field.getFixed32List().size()
                    + field.getFixed64List().size()
                    + field.getLengthDelimitedList().size()
                    + field.getGroupList().size();
        }
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            List<?> values = field.getValue() instanceof List<?> list ? list : List.of(field.getValue());
            for (Object value : values) {
                count += value instanceof Message nested ? unknownFields(nested) : 0;
            }
        }
        return count;
    }
}
