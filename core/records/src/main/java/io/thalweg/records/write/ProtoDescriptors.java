package io.thalweg.records.write;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ProtoLayout.Form;

/** Derives the message type (proto2) of the messages that {@link ProtoBytes} writes. */
public final class ProtoDescriptors {
    private final ProtoLayout layout;

    private ProtoDescriptors(ProtoLayout layout) {
        this.layout = layout;
    }

    /**
     * Derives a type. Types of nested messages are nested in it and named after their field.
     *
     * @param name of the type
     * @throws SchemaException if messages of the schema cannot be written
     */
    public static DescriptorProto of(Struct struct, ProtoLayout layout, String name) {
        return new ProtoDescriptors(layout).message(struct, name, "");
    }

    private DescriptorProto message(Struct struct, String name, String prefix) {
        DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(name);
        for (int i = 0; i < struct.fields().size(); i++) {
            Field field = struct.fields().get(i);
            String path = prefix + field.name();
            FieldDescriptorProto.Builder built =
                    field(message, field.type(), field.name(), path).setNumber(layout.number(path, i));
            if (!built.hasLabel()) {
                built.setLabel(field.required() ? Label.LABEL_REQUIRED : Label.LABEL_OPTIONAL);
            }
            message.addField(built);
        }
        return message.build();
    }

    /** Creates a field and adds the nested types that it needs. The field lacks a number, and a label unless it is repeated. */
    private FieldDescriptorProto.Builder field(
            DescriptorProto.Builder message, FieldType type, String name, String path) {
        FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder().setName(name);
        if (type instanceof ListOf list) {
            if (list.element() instanceof ListOf || list.element() instanceof MapOf) {
                throw new SchemaException("'" + path + "' is a list of lists or maps, which Protocol Buffers do not"
                        + " have; select other fields with 'fields'");
            }
            return field(message, list.element(), name, path).setLabel(Label.LABEL_REPEATED);
        }
        if (type instanceof MapOf map) {
            return nested(field, message, entry(map, typeName(name), path)).setLabel(Label.LABEL_REPEATED);
        }
        if (type instanceof Struct struct) {
            return nested(field, message, message(struct, typeName(name), path + "."));
        }
        return field.setType(scalar(type, path));
    }

    private static String typeName(String field) {
        return "T_" + field;
    }

    private static FieldDescriptorProto.Builder nested(
            FieldDescriptorProto.Builder field, DescriptorProto.Builder message, DescriptorProto type) {
        message.addNestedType(type);
        return field.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(type.getName());
    }

    private DescriptorProto entry(MapOf map, String name, String path) {
        DescriptorProto.Builder entry = DescriptorProto.newBuilder().setName(name);
        entry.addField(
                field(entry, map.key(), "key", path + "[key]").setNumber(1).setLabel(Label.LABEL_REQUIRED));
        FieldDescriptorProto.Builder value =
                field(entry, map.value(), "value", path).setNumber(2);
        if (!value.hasLabel()) {
            value.setLabel(map.valuesRequired() ? Label.LABEL_REQUIRED : Label.LABEL_OPTIONAL);
        }
        return entry.addField(value).build();
    }

    private FieldDescriptorProto.Type scalar(FieldType type, String path) {
        Form form = layout.form(path, type);
        if (form == Form.BYTES) {
            return type instanceof Text || type instanceof Symbols
                    ? FieldDescriptorProto.Type.TYPE_STRING
                    : FieldDescriptorProto.Type.TYPE_BYTES;
        }
        if (form == Form.VARINT) {
            return whole(type);
        }
        return form == Form.FLOAT
                ? FieldDescriptorProto.Type.TYPE_FLOAT
                : form == Form.DOUBLE ? FieldDescriptorProto.Type.TYPE_DOUBLE : FieldDescriptorProto.Type.TYPE_STRING;
    }

    private static FieldDescriptorProto.Type whole(FieldType type) {
        if (type instanceof Bool) {
            return FieldDescriptorProto.Type.TYPE_BOOL;
        }
        boolean narrow = type instanceof Date || (type instanceof Int integer && integer.bits() < 64);
        return narrow ? FieldDescriptorProto.Type.TYPE_INT32 : FieldDescriptorProto.Type.TYPE_INT64;
    }
}
