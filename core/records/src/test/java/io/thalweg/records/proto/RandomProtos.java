package io.thalweg.records.proto;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.WrappersProto;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Random descriptor sets and messages. Message {@code Mi} refers to later messages and, if {@link #recursive}, to itself; the
 * root is {@code M0}.
 */
final class RandomProtos {
    private static final String[] KNOWN = {
        "Timestamp",
        "Duration",
        "BoolValue",
        "Int32Value",
        "Int64Value",
        "UInt32Value",
        "UInt64Value",
        "FloatValue",
        "DoubleValue",
        "StringValue",
        "BytesValue"
    };
    private static final List<FieldDescriptorProto.Type> SCALARS = Arrays.stream(FieldDescriptorProto.Type.values())
            .filter(type -> type != FieldDescriptorProto.Type.TYPE_GROUP
                    && type != FieldDescriptorProto.Type.TYPE_MESSAGE
                    && type != FieldDescriptorProto.Type.TYPE_ENUM)
            .toList();
    private static final List<FieldDescriptorProto.Type> KEYS = SCALARS.stream()
            .filter(type -> type != FieldDescriptorProto.Type.TYPE_FLOAT
                    && type != FieldDescriptorProto.Type.TYPE_DOUBLE
                    && type != FieldDescriptorProto.Type.TYPE_BYTES)
            .toList();

    private static final int LARGEST = 150;

    final boolean proto3;
    private final Random random;
    private final boolean oneofs;
    private final boolean recursive;
    private final int messages;

    /** The approximate number of further fields that the current message may have. */
    private int left;

    RandomProtos(Random random, boolean proto3, boolean oneofs, boolean recursive) {
        this.random = random;
        this.proto3 = proto3;
        this.oneofs = oneofs;
        this.recursive = recursive;
        this.messages = 1 + random.nextInt(4);
    }

    FileDescriptorSet descriptors() {
        FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder()
                .setName("random.proto")
                .setPackage("random")
                .setSyntax(proto3 ? "proto3" : "proto2")
                .addDependency("google/protobuf/timestamp.proto")
                .addDependency("google/protobuf/duration.proto")
                .addDependency("google/protobuf/wrappers.proto")
                .addEnumType(anEnum());
        for (int i = 0; i < messages; i++) {
            file.addMessageType(message(i));
        }
        return FileDescriptorSet.newBuilder()
                .addFile(TimestampProto.getDescriptor().toProto())
                .addFile(DurationProto.getDescriptor().toProto())
                .addFile(WrappersProto.getDescriptor().toProto())
                .addFile(file)
                .build();
    }

    private EnumDescriptorProto anEnum() {
        EnumDescriptorProto.Builder type = EnumDescriptorProto.newBuilder().setName("E");
        Set<Integer> numbers = new HashSet<>();
        boolean sparse = random.nextBoolean();
        for (int i = 0; i < 1 + random.nextInt(6); i++) {
            int number = i == 0 && proto3 ? 0 : sparse ? random.nextInt() : i;
            if (numbers.add(number)) {
                type.addValue(
                        EnumValueDescriptorProto.newBuilder().setName("E" + i).setNumber(number));
            }
        }
        return type.build();
    }

    private DescriptorProto message(int i) {
        DescriptorProto.Builder type = DescriptorProto.newBuilder().setName("M" + i);
        if (oneofs) {
            type.addOneofDecl(OneofDescriptorProto.newBuilder().setName("one"));
        }
        int members = 0;
        Set<Integer> numbers = new HashSet<>();
        int count = random.nextInt(20) == 0 ? 70 : 1 + random.nextInt(12);
        for (int f = 0; f < count; f++) {
            int number = number(numbers);
            FieldDescriptorProto.Builder field =
                    FieldDescriptorProto.newBuilder().setName("f" + f).setNumber(number);
            int shape = random.nextInt(10);
            if (shape == 0) {
                type.addNestedType(entry(f, i));
                field.setTypeName(".random.M" + i + ".F" + f + "Entry")
                        .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                        .setLabel(Label.LABEL_REPEATED);
            } else {
                typed(field, i);
                label(field, shape);
                if (oneofs && shape >= 8) {
                    field.setLabel(Label.LABEL_OPTIONAL).setOneofIndex(0);
                    members++;
                }
            }
            type.addField(field);
        }
        if (oneofs && members == 0) {
            type.addField(FieldDescriptorProto.newBuilder()
                    .setName("member")
                    .setNumber(number(numbers))
                    .setType(FieldDescriptorProto.Type.TYPE_STRING)
                    .setLabel(Label.LABEL_OPTIONAL)
                    .setOneofIndex(0));
        }
        return proto3 ? withPresence(type) : type.build();
    }

    private int number(Set<Integer> numbers) {
        while (true) {
            int number = 1
                    + switch (random.nextInt(12)) {
                        case 0 -> random.nextInt(536_870_911);
                        case 1 -> random.nextInt(2_000);
                        default -> random.nextInt(100);
                    };
            if ((number < 19_000 || number > 19_999) && numbers.add(number)) {
                return number;
            }
        }
    }

    private void label(FieldDescriptorProto.Builder field, int shape) {
        boolean later = field.getType() != FieldDescriptorProto.Type.TYPE_MESSAGE;
        if (shape < 4) {
            field.setLabel(Label.LABEL_REPEATED);
            if (later
                    && field.getType() != FieldDescriptorProto.Type.TYPE_STRING
                    && field.getType() != FieldDescriptorProto.Type.TYPE_BYTES) {
                field.getOptionsBuilder().setPacked(random.nextBoolean());
            }
        } else if (!proto3 && shape == 4 && later) {
            field.setLabel(Label.LABEL_REQUIRED);
        } else {
            field.setLabel(Label.LABEL_OPTIONAL);
            if (!proto3 && shape == 5) {
                defaultOf(field);
            }
        }
    }

    private void defaultOf(FieldDescriptorProto.Builder field) {
        switch (field.getType()) {
            case TYPE_STRING, TYPE_BYTES -> field.setDefaultValue("dflt");
            case TYPE_BOOL -> field.setDefaultValue("true");
            case TYPE_FLOAT, TYPE_DOUBLE -> field.setDefaultValue("-1.5");
            case TYPE_UINT32, TYPE_FIXED32 -> field.setDefaultValue("4000000000");
            case TYPE_MESSAGE, TYPE_ENUM -> {}
            default -> field.setDefaultValue("77");
        }
    }

    /** Marks some fields as {@code optional}, which needs a oneof for each at the end. */
    private DescriptorProto withPresence(DescriptorProto.Builder type) {
        for (FieldDescriptorProto.Builder field : type.getFieldBuilderList()) {
            if (field.getLabel() == Label.LABEL_OPTIONAL && !field.hasOneofIndex() && random.nextInt(3) == 0) {
                field.setProto3Optional(true).setOneofIndex(type.getOneofDeclCount());
                type.addOneofDecl(OneofDescriptorProto.newBuilder().setName("_" + field.getName()));
            }
        }
        return type.build();
    }

    private DescriptorProto entry(int field, int message) {
        FieldDescriptorProto.Builder value =
                FieldDescriptorProto.newBuilder().setName("value").setNumber(2).setLabel(Label.LABEL_OPTIONAL);
        typed(value, message);
        return DescriptorProto.newBuilder()
                .setName("F" + field + "Entry")
                .setOptions(MessageOptions.newBuilder().setMapEntry(true))
                .addField(FieldDescriptorProto.newBuilder()
                        .setName("key")
                        .setNumber(1)
                        .setLabel(Label.LABEL_OPTIONAL)
                        .setType(KEYS.get(random.nextInt(KEYS.size()))))
                .addField(value)
                .build();
    }

    private void typed(FieldDescriptorProto.Builder field, int message) {
        switch (random.nextInt(8)) {
            case 0 -> field.setType(FieldDescriptorProto.Type.TYPE_ENUM).setTypeName(".random.E");
            case 1 ->
                field.setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
                        .setTypeName(".google.protobuf." + KNOWN[random.nextInt(KNOWN.length)]);
            case 2, 3 -> {
                int from = recursive && random.nextInt(4) == 0 ? 0 : message + 1;
                if (from < messages) {
                    int other = from + random.nextInt(messages - from);
                    field.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(".random.M" + other);
                } else {
                    field.setType(FieldDescriptorProto.Type.TYPE_SINT64);
                }
            }
            default -> field.setType(SCALARS.get(random.nextInt(SCALARS.size())));
        }
    }

    /** Returns a message with all required and some other fields. */
    DynamicMessage value(Descriptor type) {
        left = LARGEST;
        return value(type, 0);
    }

    private DynamicMessage value(Descriptor type, int depth) {
        left -= type.getFields().size();
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        for (FieldDescriptor field : type.getFields()) {
            boolean isMessage = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
            if (!type.getOptions().getMapEntry()
                    && !field.isRequired()
                    && (random.nextInt(4) == 0 || (isMessage && (depth > 3 || left < 0)))) {
                continue;
            }
            if (field.isRepeated()) {
                for (int i = random.nextInt(isMessage ? 3 : depth > 1 ? 3 : 6); i > 0; i--) {
                    message.addRepeatedField(field, any(field, depth));
                }
            } else {
                message.setField(field, any(field, depth));
            }
        }
        return message.build();
    }

    private Object any(FieldDescriptor field, int depth) {
        return switch (field.getJavaType()) {
            case BOOLEAN -> random.nextBoolean();
            case INT -> (int) number();
            case LONG -> inRange(field, number());
            case FLOAT -> Float.intBitsToFloat(random.nextInt());
            case DOUBLE -> random.nextInt(5) == 0 ? Double.longBitsToDouble(random.nextLong()) : random.nextGaussian();
            case STRING -> text();
            case BYTE_STRING -> ByteString.copyFrom(bytes());
            case ENUM -> symbol(field.getEnumType());
            case MESSAGE -> value(field.getMessageType(), depth + 1);
        };
    }

    private long inRange(FieldDescriptor field, long value) {
        if (field.getFullName().endsWith(".seconds")) {
            return value % 9_223_372_036_000L;
        }
        boolean unsigned =
                field.getType() == FieldDescriptor.Type.UINT64 || field.getType() == FieldDescriptor.Type.FIXED64;
        return unsigned ? value & Long.MAX_VALUE : value;
    }

    private long number() {
        long bits = random.nextLong() >> random.nextInt(64);
        return random.nextInt(10) == 0 ? Long.MIN_VALUE : bits;
    }

    private Object symbol(EnumDescriptor type) {
        return proto3 && random.nextInt(4) == 0
                ? type.findValueByNumberCreatingIfUnknown(random.nextInt())
                : type.getValues().get(random.nextInt(type.getValues().size()));
    }

    private String text() {
        return random.ints(random.nextInt(12), 0, 0x11000)
                .map(point -> point % 3 == 0 ? point : point % 128)
                .filter(point -> point < 0xD800 || point > 0xDFFF)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        return bytes;
    }
}
