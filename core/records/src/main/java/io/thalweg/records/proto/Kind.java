package io.thalweg.records.proto;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Scalar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The encoding of a value, and the form in which it is reported. */
enum Kind {
    BOOL(WireInput.VARINT),
    INT32(WireInput.VARINT),
    INT64(WireInput.VARINT),
    UINT32(WireInput.VARINT),
    UINT64(WireInput.VARINT),
    SINT32(WireInput.VARINT),
    SINT64(WireInput.VARINT),
    FIXED32(WireInput.FIXED32),
    FIXED64(WireInput.FIXED64),
    SFIXED32(WireInput.FIXED32),
    SFIXED64(WireInput.FIXED64),
    FLOAT(WireInput.FIXED32),
    DOUBLE(WireInput.FIXED64),
    /** A number that represents a name. */
    ENUM(WireInput.VARINT),
    STRING(WireInput.LENGTH),
    BYTES(WireInput.LENGTH),
    /** Fields between two tags, which are skipped. */
    GROUP(WireInput.START_GROUP),
    /** A message that becomes a struct. */
    STRUCT(WireInput.LENGTH),
    /** {@code google.protobuf.Timestamp}. */
    TIMESTAMP(WireInput.LENGTH),
    /** {@code google.protobuf.Duration}, reported in microseconds. */
    DURATION(WireInput.LENGTH),
    /** A message around one scalar, such as {@code google.protobuf.StringValue}. */
    WRAPPER(WireInput.LENGTH);

    private static final String KNOWN = "google.protobuf.";
    private static final Map<String, Kind> WRAPPED = Map.of(
            "BoolValue", BOOL,
            "Int32Value", INT32,
            "Int64Value", INT64,
            "UInt32Value", UINT32,
            "UInt64Value", UINT64,
            "FloatValue", FLOAT,
            "DoubleValue", DOUBLE,
            "StringValue", STRING,
            "BytesValue", BYTES);

    final int wire;

    Kind(int wire) {
        this.wire = wire;
    }

    /** Returns the kind of a field's value; for a list, that of its elements. */
    static Kind of(FieldDescriptor field) {
        return switch (field.getType()) {
            case MESSAGE -> of(field.getMessageType());
            default -> valueOf(field.getType().name());
        };
    }

    private static Kind of(Descriptor message) {
        if (wrapped(message) != null) {
            return WRAPPER;
        }
        return switch (message.getFullName()) {
            case KNOWN + "Timestamp" -> TIMESTAMP;
            case KNOWN + "Duration" -> DURATION;
            default -> STRUCT;
        };
    }

    /** Returns the kind of the value in a wrapper; null if the message is not a wrapper. */
    static @Nullable Kind wrapped(Descriptor message) {
        String name = message.getFullName();
        return name.startsWith(KNOWN) ? WRAPPED.get(name.substring(KNOWN.length())) : null;
    }

    /** Returns the type of the values of the kind; only for kinds whose type does not depend on the field. */
    Scalar type() {
        return switch (this) {
            case BOOL -> FieldType.BOOL;
            case INT32, SINT32, SFIXED32 -> FieldType.INT32;
            case INT64, UINT32, UINT64, SINT64, FIXED32, FIXED64, SFIXED64, DURATION -> FieldType.INT64;
            case FLOAT -> FieldType.FLOAT;
            case DOUBLE -> FieldType.DOUBLE;
            case STRING -> FieldType.TEXT;
            case BYTES -> FieldType.BYTES;
            case TIMESTAMP -> FieldType.TIMESTAMP;
            case ENUM, GROUP, STRUCT, WRAPPER ->
                throw new IllegalStateException("the type of " + this + " depends on the field");
        };
    }

    /** Returns whether the value is a message, so that repeated occurrences are merged. */
    boolean isMessage() {
        return compareTo(STRUCT) >= 0;
    }

    /** Returns whether elements of a list may share one field. */
    boolean isPackable() {
        return wire != WireInput.LENGTH && this != GROUP;
    }
}
