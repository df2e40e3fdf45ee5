package io.thalweg.records.proto;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Unsupported;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts message types to structs. A type that does not refer back to an enclosing message is converted once and shared, so
 * that schemas with many references between types stay small.
 */
final class ProtoTypes {
    /** Types that all refer to each other have exponentially many paths. */
    private static final int MOST_FIELDS = 100_000;

    private static final int DEEPEST = 200;

    private final Map<String, Struct> done = new HashMap<>();

    /** The types that enclose the current one, with the depth of each. */
    private final Map<String, Integer> open = new HashMap<>();

    /** The depth of the outermost type to which the types left so far refer back. */
    private int outermost = Integer.MAX_VALUE;

    private int fields;

    /**
     * Converts a message type.
     *
     * @throws SchemaException if it is nested too deeply, or is too large
     */
    Struct struct(Descriptor type) {
        String name = type.getFullName();
        Struct shared = done.get(name);
        if (shared != null) {
            return shared;
        }
        int level = open.size();
        int before = outermost;
        outermost = Integer.MAX_VALUE;
        open.put(name, level);
        checkSize(type, level);
        List<Field> converted = new ArrayList<>();
        type.getFields().forEach(field -> converted.add(field(field)));
        Struct struct = new Struct(converted);
        open.remove(name);
        if (outermost >= level) {
            done.put(name, struct);
            outermost = before;
        } else {
            outermost = Math.min(before, outermost);
        }
        return struct;
    }

    private void checkSize(Descriptor type, int level) {
        fields += type.getFields().size();
        if (fields > MOST_FIELDS || level > DEEPEST) {
            throw new SchemaException("message '" + type.getFullName() + "' is nested in more than " + DEEPEST
                    + " levels, or its types lead to each other in too many ways (" + MOST_FIELDS
                    + " fields); choose a smaller message as 'type'");
        }
    }

    private Field field(FieldDescriptor field) {
        if (field.isMapField()) {
            return new Field(field.getName(), map(field.getMessageType()), false, List.of());
        }
        if (field.isRepeated()) {
            return new Field(field.getName(), new ListOf(type(field), true), false, List.of());
        }
        return new Field(field.getName(), type(field), field.isRequired(), absent(field));
    }

    private MapOf map(Descriptor entry) {
        // The compiler accepts only integers, bool and string.
        Scalar key = Kind.of(entry.findFieldByNumber(1)).type();
        return new MapOf(key, type(entry.findFieldByNumber(2)), true);
    }

    private FieldType type(FieldDescriptor field) {
        Kind kind = Kind.of(field);
        return switch (kind) {
            case ENUM ->
                new Symbols(field.getEnumType().getValues().stream()
                        .map(EnumValueDescriptor::getName)
                        .toList());
            case STRUCT -> message(field.getMessageType());
            case WRAPPER -> wrapped(field.getMessageType());
            case GROUP -> new Unsupported("a group");
            default -> kind.type();
        };
    }

    private FieldType message(Descriptor type) {
        Integer level = open.get(type.getFullName());
        if (level != null) {
            outermost = Math.min(outermost, level);
            return new Recursive(type.getFullName());
        }
        return struct(type);
    }

    private static FieldType wrapped(Descriptor type) {
        Kind kind = Kind.wrapped(type);
        if (kind == null) {
            throw new IllegalStateException(type.getFullName() + " is not a wrapper");
        }
        return kind.type();
    }

    private static @Nullable Object absent(FieldDescriptor field) {
        boolean declared = field.hasDefaultValue() && field.getRealContainingOneof() == null;
        return field.isRequired() || (field.hasPresence() && !declared) ? null : value(field);
    }

    private static Object value(FieldDescriptor field) {
        Object value = field.getDefaultValue();
        return switch (field.getType()) {
            case BOOL -> value;
            case FLOAT, DOUBLE -> ((Number) value).doubleValue();
            case STRING -> ((String) value).getBytes(StandardCharsets.UTF_8);
            case BYTES -> ((ByteString) value).toByteArray();
            case ENUM -> EnumNames.utf8((EnumValueDescriptor) value);
            case UINT32, FIXED32 -> ((Number) value).longValue() & 0xFFFF_FFFFL;
            case UINT64, FIXED64 -> unsigned(field, ((Number) value).longValue());
            default -> ((Number) value).longValue();
        };
    }

    private static long unsigned(FieldDescriptor field, long value) {
        if (value < 0) {
            throw new SchemaException("the default of field '" + field.getFullName() + "' is "
                    + Long.toUnsignedString(value) + "; values above " + Long.MAX_VALUE + " are not supported");
        }
        return value;
    }
}
