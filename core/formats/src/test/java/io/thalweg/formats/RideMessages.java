package io.thalweg.formats;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import io.thalweg.model.source.Source;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryBuffer;
import org.apache.thrift.transport.TTransportException;

/** The same generated rides as JSON and, written by the libraries of the formats, as Avro, Thrift and Protocol Buffers. */
public final class RideMessages {
    public static final Schema AVRO = new Schema.Parser().parse("""
            {"type": "record", "name": "Ride", "fields": [
              {"name": "ts", "type": ["null", "long"]},
              {"name": "status", "type": ["null", {"type": "enum", "name": "Status", "symbols": ["OPEN", "DONE", "TEST"]}]},
              {"name": "rider", "type": ["null", {"type": "record", "name": "Rider", "fields": [
                {"name": "id", "type": ["null", "string"]}, {"name": "name", "type": ["null", "string"]}]}]},
              {"name": "lat", "type": ["null", "double"]},
              {"name": "lng", "type": ["null", "double"]},
              {"name": "fare", "type": ["null", "double"]},
              {"name": "seats", "type": ["null", "int"]},
              {"name": "total", "type": ["null", "long"]},
              {"name": "vip", "type": ["null", "boolean"]},
              {"name": "tags", "type": {"type": "array", "items": "string"}},
              {"name": "note", "type": ["null", "string"]},
              {"name": "product", "type": ["null", "string"]}]}""");

    private static final String THRIFT = """
            include "rider.thrift"
            enum Status { OPEN = 1, DONE = 2, TEST = 3 }
            struct Ride {
              1: optional i64 ts
              2: optional Status status
              3: optional rider.Rider rider
              4: optional double lat
              5: optional double lng
              6: optional double fare
              7: optional i32 seats
              8: optional i64 total
              9: optional bool vip
              10: optional list<string> tags
              11: optional string note
              12: optional string product
            }
            """;
    private static final String THRIFT_RIDER = "struct Rider { 1: optional string id 2: optional string name }\n";

    private static final String PROTO = """
            name: 'ride.proto' syntax: 'proto2'
            message_type { name: 'Ride'
              field { name: 'ts' number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL }
              field { name: 'status' number: 2 type: TYPE_ENUM type_name: '.Status' label: LABEL_OPTIONAL }
              field { name: 'rider' number: 3 type: TYPE_MESSAGE type_name: '.Rider' label: LABEL_OPTIONAL }
              field { name: 'lat' number: 4 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
              field { name: 'lng' number: 5 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
              field { name: 'fare' number: 6 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
              field { name: 'seats' number: 7 type: TYPE_SINT32 label: LABEL_OPTIONAL }
              field { name: 'total' number: 8 type: TYPE_INT64 label: LABEL_OPTIONAL }
              field { name: 'vip' number: 9 type: TYPE_BOOL label: LABEL_OPTIONAL }
              field { name: 'tags' number: 10 type: TYPE_STRING label: LABEL_REPEATED }
              field { name: 'note' number: 11 type: TYPE_STRING label: LABEL_OPTIONAL }
              field { name: 'product' number: 12 type: TYPE_STRING label: LABEL_OPTIONAL } }
            message_type { name: 'Rider'
              field { name: 'id' number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
              field { name: 'name' number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } }
            enum_type { name: 'Status'
              value { name: 'OPEN' number: 1 } value { name: 'DONE' number: 2 } value { name: 'TEST' number: 3 } }
            """;

    private static final List<String> STATUS = List.of("OPEN", "DONE", "TEST");

    private RideMessages() {}

    /** How rides are written. */
    public enum Encoding {
        AVRO(Source.Format.AVRO, "schema: {file: ride.avsc}"),
        AVRO_SINGLE_OBJECT(Source.Format.AVRO, "schema: {file: ride.avsc, wire: single_object}"),
        THRIFT_BINARY(Source.Format.THRIFT, "schema: {file: ride.thrift, type: Ride}"),
        THRIFT_COMPACT(Source.Format.THRIFT, "schema: {file: ride.thrift, protocol: compact}"),
        PROTOBUF(Source.Format.PROTOBUF, "schema: {file: ride.desc, type: Ride}");

        final Source.Format format;
        final String schema;

        Encoding(Source.Format format, String schema) {
            this.format = format;
            this.schema = schema;
        }

        /** The keys of a source that replace {@code format: json}. */
        public String keys() {
            return "format: " + format.text() + ", " + schema;
        }
    }

    /** Writes the schemas into a folder, and returns the name of a definition in it. */
    public static String writeSchemas(Path folder) throws IOException {
        Files.writeString(folder.resolve("ride.avsc"), AVRO.toString());
        Files.writeString(folder.resolve("ride.thrift"), THRIFT);
        Files.writeString(folder.resolve("rider.thrift"), THRIFT_RIDER);
        FileDescriptorSet set =
                FileDescriptorSet.newBuilder().addFile(protoFile()).build();
        Files.write(folder.resolve("ride.desc"), set.toByteArray());
        return folder.resolve("view.yaml").toString();
    }

    private static FileDescriptorProto protoFile() {
        try {
            FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder();
            TextFormat.merge(PROTO, file);
            return file.build();
        } catch (TextFormat.ParseException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates a ride; about one in eight contains something that a view may reject. */
    static Map<String, Object> ride(Random random, long timeMs) {
        Map<String, Object> ride = new LinkedHashMap<>();
        long ms = random.nextInt(40) == 0 ? random.nextLong() : timeMs - random.nextInt(30_000);
        put(ride, "ts", ms, random);
        put(ride, "status", STATUS.get(random.nextInt(3)), random);
        Map<String, Object> rider = new LinkedHashMap<>();
        boolean isUuid = random.nextInt(40) > 0;
        put(rider, "id", isUuid ? new UUID(0, random.nextInt(50)).toString() : text(random), random);
        put(rider, "name", text(random), random);
        put(ride, "rider", rider, random);
        put(ride, "lat", random.nextInt(60) == 0 ? number(random) : 52 + random.nextDouble() / 50, random);
        put(ride, "lng", random.nextInt(60) == 0 ? number(random) : 13 + random.nextDouble() / 50, random);
        put(ride, "fare", random.nextInt(9) == 0 ? number(random) : random.nextInt(4_000) / 100.0, random);
        put(ride, "seats", random.nextInt(12) - 2, random);
        put(ride, "total", random.nextInt(9) == 0 ? random.nextLong() : random.nextInt(5), random);
        put(ride, "vip", random.nextBoolean(), random);
        ride.put("tags", new ArrayList<>(List.of("a", text(random)).subList(0, random.nextInt(3))));
        put(ride, "note", text(random), random);
        put(ride, "product", "p" + random.nextInt(5), random);
        return ride;
    }

    private static void put(Map<String, Object> into, String name, Object value, Random random) {
        if (random.nextInt(60) > 0) {
            into.put(name, value);
        }
    }

    private static String text(Random random) {
        String[] texts = {
            "", "7", "1.5e3", "NaN", "grün \uD83D\uDE97", "a\"b\\c\n", "true", "x".repeat(random.nextInt(300))
        };
        return texts[random.nextInt(texts.length)];
    }

    private static double number(Random random) {
        double[] numbers = {
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            -0.0,
            0,
            1e300,
            -1e-300,
            Double.MIN_VALUE,
            0x1p63,
            Long.MAX_VALUE,
            random.nextDouble(-200, 200),
            random.nextInt(100)
        };
        return numbers[random.nextInt(numbers.length)];
    }

    /** Encodes a ride as JSON; numbers that are not finite become text. */
    static byte[] json(Map<String, Object> ride) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json(json, ride);
        }
        return out.toByteArray();
    }

    private static void json(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> fields) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                json.writeFieldName(String.valueOf(field.getKey()));
                json(json, field.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> elements) {
            json.writeStartArray();
            for (Object element : elements) {
                json(json, element);
            }
            json.writeEndArray();
        } else {
            json.writePOJO(value);
        }
    }

    public static byte[] encode(Map<String, Object> ride, Encoding encoding) throws IOException {
        try {
            return switch (encoding) {
                case AVRO -> avro(ride);
                case AVRO_SINGLE_OBJECT -> singleObject(ride);
                case THRIFT_BINARY -> thrift(ride, false);
                case THRIFT_COMPACT -> thrift(ride, true);
                case PROTOBUF -> proto(ride);
            };
        } catch (TException | DescriptorValidationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Converts a ride to a record of Avro's library. */
    static GenericRecord avroRecord(Map<String, Object> ride) {
        GenericRecord record = new GenericData.Record(AVRO);
        ride.forEach((name, value) -> {
            Schema.Field field = AVRO.getField(name);
            if (value instanceof Map<?, ?> rider) {
                GenericRecord inner =
                        new GenericData.Record(field.schema().getTypes().get(1));
                rider.forEach((key, text) -> inner.put(String.valueOf(key), text));
                record.put(name, inner);
            } else if (name.equals("status")) {
                record.put(
                        name,
                        new GenericData.EnumSymbol(field.schema().getTypes().get(1), value));
            } else {
                record.put(
                        name, value instanceof Integer number && name.equals("total") ? (Object) (long) number : value);
            }
        });
        return record;
    }

    private static byte[] singleObject(Map<String, Object> ride) throws IOException {
        ByteBuffer message = new BinaryMessageEncoder<GenericRecord>(GenericData.get(), AVRO).encode(avroRecord(ride));
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }

    private static byte[] avro(Map<String, Object> ride) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<GenericRecord>(AVRO).write(avroRecord(ride), encoder);
        encoder.flush();
        return out.toByteArray();
    }

    private static byte[] thrift(Map<String, Object> ride, boolean compact) throws TException, TTransportException {
        TMemoryBuffer buffer = new TMemoryBuffer(256);
        TProtocol out = compact ? new TCompactProtocol(buffer) : new TBinaryProtocol(buffer);
        List<String> names = AVRO.getFields().stream().map(Schema.Field::name).toList();
        out.writeStructBegin(new TStruct("Ride"));
        for (Map.Entry<String, Object> field : ride.entrySet()) {
            short id = (short) (1 + names.indexOf(field.getKey()));
            switch (field.getKey()) {
                case "status" -> {
                    out.writeFieldBegin(new TField("", TType.I32, id));
                    out.writeI32(1 + STATUS.indexOf((String) field.getValue()));
                }
                case "rider" -> {
                    out.writeFieldBegin(new TField("", TType.STRUCT, id));
                    rider((Map<?, ?>) field.getValue(), out);
                }
                case "tags" -> {
                    out.writeFieldBegin(new TField("", TType.LIST, id));
                    List<?> tags = (List<?>) field.getValue();
                    out.writeListBegin(new TList(TType.STRING, tags.size()));
                    for (Object tag : tags) {
                        out.writeString((String) tag);
                    }
                    out.writeListEnd();
                }
                default -> scalar(field.getKey(), field.getValue(), id, out);
            }
            out.writeFieldEnd();
        }
        out.writeFieldStop();
        out.writeStructEnd();
        byte[] message = new byte[buffer.length()];
        System.arraycopy(buffer.getArray(), 0, message, 0, message.length);
        return message;
    }

    private static void rider(Map<?, ?> rider, TProtocol out) throws TException {
        out.writeStructBegin(new TStruct("Rider"));
        for (Map.Entry<?, ?> field : rider.entrySet()) {
            out.writeFieldBegin(
                    new TField("", TType.STRING, (short) (field.getKey().equals("id") ? 1 : 2)));
            out.writeString((String) field.getValue());
            out.writeFieldEnd();
        }
        out.writeFieldStop();
        out.writeStructEnd();
    }

    private static void scalar(String name, Object value, short id, TProtocol out) throws TException {
        if (value instanceof Double number) {
            out.writeFieldBegin(new TField("", TType.DOUBLE, id));
            out.writeDouble(number);
        } else if (value instanceof Boolean bool) {
            out.writeFieldBegin(new TField("", TType.BOOL, id));
            out.writeBool(bool);
        } else if (value instanceof String text) {
            out.writeFieldBegin(new TField("", TType.STRING, id));
            out.writeString(text);
        } else if (name.equals("seats")) {
            out.writeFieldBegin(new TField("", TType.I32, id));
            out.writeI32((Integer) value);
        } else {
            out.writeFieldBegin(new TField("", TType.I64, id));
            out.writeI64(((Number) value).longValue());
        }
    }

    private static byte[] proto(Map<String, Object> ride) throws DescriptorValidationException {
        FileDescriptor file = FileDescriptor.buildFrom(protoFile(), new FileDescriptor[0]);
        Descriptor type = file.findMessageTypeByName("Ride");
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        ride.forEach((name, value) -> {
            FieldDescriptor field = type.findFieldByName(name);
            if (value instanceof Map<?, ?> rider) {
                DynamicMessage.Builder inner = DynamicMessage.newBuilder(field.getMessageType());
                rider.forEach((key, text) ->
                        inner.setField(field.getMessageType().findFieldByName(String.valueOf(key)), text));
                message.setField(field, inner.build());
            } else if (name.equals("status")) {
                message.setField(field, field.getEnumType().findValueByName((String) value));
            } else {
                boolean isLong = value instanceof Integer && name.equals("total");
                message.setField(field, isLong ? (Object) ((Integer) value).longValue() : value);
            }
        });
        return message.build().toByteArray();
    }
}
