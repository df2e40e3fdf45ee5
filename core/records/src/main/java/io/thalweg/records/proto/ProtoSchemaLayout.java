package io.thalweg.records.proto;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import io.thalweg.records.MessageRules;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ProtoLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The encoding of the fields of a message type, by path. */
final class ProtoSchemaLayout implements ProtoLayout {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Kind> kinds = new HashMap<>();
    private final Map<String, EnumDescriptor> symbols = new HashMap<>();
    private final Set<String> wrapped = new HashSet<>();
    private final Set<String> packed = new HashSet<>();
    private final List<List<String>> oneofs = new ArrayList<>();

    /**
     * Describes a message type.
     *
     * @param struct result of {@link ProtoTypes} for the type
     */
    ProtoSchemaLayout(Descriptor type, Struct struct) {
        fields(type, struct, "");
    }

    private void fields(Descriptor type, Struct struct, String prefix) {
        for (FieldDescriptor field : type.getFields()) {
            String path = prefix + field.getName();
            numbers.put(path, field.getNumber());
            field(field, struct.fields().get(field.getIndex()).type(), path);
        }
        for (OneofDescriptor oneof : type.getRealOneofs()) {
            oneofs.add(oneof.getFields().stream()
                    .map(member -> prefix + member.getName())
                    .toList());
        }
    }

    private void field(FieldDescriptor field, FieldType type, String path) {
        if (type instanceof MapOf map) {
            Descriptor entry = field.getMessageType();
            value(entry.findFieldByNumber(1), map.key(), path + "[key]");
            value(entry.findFieldByNumber(2), map.value(), path);
        } else if (type instanceof ListOf list) {
            if (field.isPacked()) {
                packed.add(path);
            }
            value(field, list.element(), path);
        } else {
            value(field, type, path);
        }
    }

    private void value(FieldDescriptor field, FieldType type, String path) {
        Kind kind = Kind.of(field);
        if (kind == Kind.WRAPPER) {
            wrapped.add(path);
            kinds.put(path, Objects.requireNonNull(Kind.wrapped(field.getMessageType())));
            return;
        }
        kinds.put(path, kind);
        if (kind == Kind.ENUM) {
            symbols.put(path, field.getEnumType());
        } else if (type instanceof Struct struct) {
            fields(field.getMessageType(), struct, path + ".");
        }
    }

    MessageRules rules() {
        Map<String, Integer> unsigned = new HashMap<>();
        for (String path : kinds.keySet()) {
            int bits = unsignedBits(path);
            if (bits < Long.SIZE) {
                unsigned.put(path, bits);
            }
        }
        return new MessageRules(Set.of(), oneofs, unsigned);
    }

    private Kind kind(String path) {
        return Objects.requireNonNull(kinds.get(path), path);
    }

    @Override
    public int number(String path, int index) {
        return Objects.requireNonNull(numbers.get(path), path);
    }

    @Override
    public Form form(String path, FieldType type) {
        return switch (kind(path)) {
            case BOOL, INT32, INT64, UINT32, UINT64 -> Form.VARINT;
            case SINT32, SINT64 -> Form.ZIGZAG;
            case FIXED32, SFIXED32 -> Form.FIXED32;
            case FIXED64, SFIXED64 -> Form.FIXED64;
            case FLOAT -> Form.FLOAT;
            case DOUBLE -> Form.DOUBLE;
            case ENUM -> Form.ENUM;
            case TIMESTAMP -> Form.TIMESTAMP;
            case DURATION -> Form.DURATION;
            case STRING, BYTES, GROUP, STRUCT, WRAPPER -> Form.BYTES;
        };
    }

    @Override
    public boolean isWrapped(String path) {
        return wrapped.contains(path);
    }

    @Override
    public boolean isPacked(String path) {
        return packed.contains(path);
    }

    @Override
    public int unsignedBits(String path) {
        return switch (kind(path)) {
            case UINT32, FIXED32 -> Integer.SIZE;
            case UINT64, FIXED64 -> Long.SIZE - 1;
            default -> Long.SIZE;
        };
    }

    @Override
    public int symbol(String path, String name, int index) {
        @Nullable EnumDescriptor type = symbols.get(path);
        return Objects.requireNonNull(type, path).findValueByName(name).getNumber();
    }

    @Override
    public List<List<String>> oneofs() {
        return oneofs;
    }
}
