package io.thalweg.cli.run;

import com.github.luben.zstd.Zstd;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.TextFormat;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.json.JsonSchema;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.thrift.ThriftSchema;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.ThriftBytes;
import io.thalweg.records.write.ThriftLayout;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/** Rides whose fields follow from their id: the schema and the bytes of one in each format, and the row it becomes. */
final class Rides {
    private static final String THRIFT = """
            struct Rider { 1: required string id, 2: optional i32 age }
            struct Payload { 1: required Rider rider }
            struct Ride {
              1: required i64 id
              2: required string status
              3: optional double fare
              4: optional bool vip
              5: optional Payload payload
              6: optional list<i64> stops
              7: optional map<string, string> tags
            }
            """;

    static final String AVRO = """
            {"type": "record", "name": "Ride", "fields": [
              {"name": "id", "type": "long"},
              {"name": "status", "type": "string"},
              {"name": "fare", "type": ["null", "double"]},
              {"name": "vip", "type": ["null", "boolean"]},
              {"name": "payload", "type": ["null", {"type": "record", "name": "Payload", "fields": [
                {"name": "rider", "type": {"type": "record", "name": "Rider", "fields": [
                  {"name": "id", "type": "string"}, {"name": "age", "type": ["null", "int"]}]}}]}]},
              {"name": "stops", "type": ["null", {"type": "array", "items": "long"}]},
              {"name": "tags", "type": ["null", {"type": "map", "values": "string"}]}]}
            """;

    private static final String JSON = """
            {"type": "object", "required": ["id", "status"], "properties": {
              "id": {"type": "integer"},
              "status": {"type": "string"},
              "fare": {"type": "number"},
              "vip": {"type": "boolean"},
              "payload": {"type": "object", "required": ["rider"], "properties": {
                "rider": {"type": "object", "required": ["id"], "properties": {
                  "id": {"type": "string"}, "age": {"type": "integer", "format": "int32"}}}}},
              "stops": {"type": "array", "items": {"type": "integer"}},
              "tags": {"type": "object", "additionalProperties": {"type": "string"}}}}
            """;

    private static final String PROTOBUF = """
            name: 'ride.proto' package: 'demo' syntax: 'proto3'
            message_type { name: 'Ride'
              field { name: 'id' number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL }
              field { name: 'status' number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
              field { name: 'fare' number: 3 type: TYPE_DOUBLE label: LABEL_OPTIONAL proto3_optional: true oneof_index: 0 }
              field { name: 'vip' number: 4 type: TYPE_BOOL label: LABEL_OPTIONAL proto3_optional: true oneof_index: 1 }
              field { name: 'payload' number: 5 type: TYPE_MESSAGE type_name: '.demo.Payload' label: LABEL_OPTIONAL }
              field { name: 'stops' number: 6 type: TYPE_INT64 label: LABEL_REPEATED }
              field { name: 'tags' number: 7 type: TYPE_MESSAGE type_name: '.demo.Ride.TagsEntry' label: LABEL_REPEATED }
              nested_type { name: 'TagsEntry' options { map_entry: true }
                field { name: 'key' number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
                field { name: 'value' number: 2 type: TYPE_STRING label: LABEL_OPTIONAL } }
              oneof_decl { name: '_fare' } oneof_decl { name: '_vip' } }
            message_type { name: 'Payload'
              field { name: 'rider' number: 1 type: TYPE_MESSAGE type_name: '.demo.Rider' label: LABEL_OPTIONAL } }
            message_type { name: 'Rider'
              field { name: 'id' number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
              field { name: 'age' number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL proto3_optional: true oneof_index: 0 }
              oneof_decl { name: '_age' } }
            """;

    /** The formats, as a definition names them. */
    enum Format {
        THRIFT_BINARY("format: thrift, schema: {file: ride.thrift, type: Ride}"),
        THRIFT_COMPACT("format: thrift, schema: {file: ride.thrift, type: Ride, protocol: compact}"),
        AVRO("format: avro, schema: {file: ride.avsc}"),
        JSON("format: json, schema: {file: ride.json}"),
        PROTOBUF("format: protobuf, schema: {file: ride.desc, type: Ride}");

        /** Entries of {@code source}. */
        final String source;

        Format(String source) {
            this.source = source;
        }
    }

    /** Makes the bytes of a ride. */
    interface Encoder {
        byte[] encode(long id);
    }

    private Rides() {}

    /** Writes the schemas of all formats into a folder. */
    static void writeSchemas(Path folder) throws IOException {
        Files.writeString(folder.resolve("ride.thrift"), THRIFT);
        Files.writeString(folder.resolve("ride.avsc"), AVRO);
        Files.writeString(folder.resolve("ride.json"), JSON);
        Files.write(folder.resolve("ride.desc"), descriptors(PROTOBUF));
    }

    private static byte[] descriptors(String text) {
        try {
            FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder();
            TextFormat.merge(text, file);
            return FileDescriptorSet.newBuilder().addFile(file).build().toByteArray();
        } catch (TextFormat.ParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** An encoder for one thread; the schemas must be in the folder. */
    static Encoder encoder(Format format, Path folder) {
        return switch (format) {
            case THRIFT_BINARY -> fields(ThriftBytes.binary(thrift(folder), ThriftLayout.DEFAULT));
            case THRIFT_COMPACT -> fields(ThriftBytes.compact(thrift(folder), ThriftLayout.DEFAULT));
            case AVRO ->
                fields(new AvroBytes(
                        AvroSchema.of(folder.resolve("ride.avsc")).struct(), new Schema.Parser().parse(AVRO)));
            case JSON ->
                fields(new JsonBytes(JsonSchema.of(folder.resolve("ride.json")).struct()));
            case PROTOBUF -> Rides::protobuf;
        };
    }

    private static Struct thrift(Path folder) {
        return ThriftSchema.of(folder.resolve("ride.thrift"), "Ride").struct();
    }

    static String status(long id) {
        return List.of("REQUEST", "TEST", "DONE", "REQUEST").get((int) (id & 3));
    }

    private static boolean hasPayload(long id) {
        return id % 11 != 3;
    }

    private static @Nullable Double fare(long id) {
        return id % 7 == 0 ? null : id / 8.0;
    }

    private static @Nullable Boolean vip(long id) {
        return id % 5 == 4 ? null : id % 5 == 0;
    }

    private static String rider(long id) {
        return "ridér-" + id * 31;
    }

    private static @Nullable Long age(long id) {
        return id % 13 == 6 ? null : 18 + id % 70;
    }

    private static List<Long> stops(long id) {
        List<Long> stops = new ArrayList<>();
        for (long i = 0; i < id % 4; i++) {
            stops.add(id - i * 1_000_000_007L);
        }
        return stops;
    }

    private static Map<String, String> tags(long id) {
        Map<String, String> tags = new LinkedHashMap<>();
        for (long i = 0; i < id % 3; i++) {
            tags.put("k" + i, "v" + id);
        }
        return tags;
    }

    /** The row of a ride whose columns are all fields. */
    static Map<String, @Nullable Object> row(long id) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", id);
        row.put("status", status(id));
        row.put("fare", fare(id));
        row.put("vip", vip(id));
        row.put("payload", hasPayload(id) ? Map.of("rider", riderRow(id)) : null);
        row.put("stops", stops(id));
        row.put("tags", tags(id));
        return row;
    }

    private static Map<String, @Nullable Object> riderRow(long id) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", rider(id));
        row.put("age", age(id));
        return row;
    }

    /** The value of {@code payload.rider.id}. */
    static @Nullable String riderOf(long id) {
        return hasPayload(id) ? rider(id) : null;
    }

    /** By slot: the schemas of Thrift, Avro and JSON are the same tree. */
    private static Encoder fields(ByteRecordWriter to) {
        return id -> {
            to.begin();
            to.int64(0, id);
            text(to, 1, status(id));
            Double fare = fare(id);
            if (fare == null) {
                to.absent(2);
            } else {
                to.float64(2, fare);
            }
            Boolean vip = vip(id);
            if (vip == null) {
                to.absent(3);
            } else {
                to.bool(3, vip);
            }
            if (hasPayload(id)) {
                payload(to, id);
            } else {
                to.absent(4);
            }
            to.beginList(8);
            stops(id).forEach(stop -> to.int64(9, stop));
            to.endList(8);
            to.beginMap(10);
            tags(id).forEach((key, value) -> {
                text(to, 11, key);
                text(to, 12, value);
            });
            to.endMap(10);
            to.end();
            return Arrays.copyOfRange(to.data(), to.from(), to.to());
        };
    }

    private static void payload(ByteRecordWriter to, long id) {
        to.beginStruct(4);
        to.beginStruct(5);
        text(to, 6, rider(id));
        Long age = age(id);
        if (age == null) {
            to.absent(7);
        } else {
            to.int64(7, age);
        }
        to.endStruct(5);
        to.endStruct(4);
    }

    private static void text(ByteRecordWriter to, int slot, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.bytes(slot, bytes, 0, bytes.length);
    }

    private interface Fields {
        void write(CodedOutputStream out) throws IOException;
    }

    private static byte[] message(Fields fields) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            fields.write(out);
            out.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] protobuf(long id) {
        return message(out -> {
            out.writeInt64(1, id);
            out.writeString(2, status(id));
            Double fare = fare(id);
            if (fare != null) {
                out.writeDouble(3, fare);
            }
            Boolean vip = vip(id);
            if (vip != null) {
                out.writeBool(4, vip);
            }
            if (hasPayload(id)) {
                out.writeByteArray(
                        5, message(payload -> payload.writeByteArray(1, message(rider -> rider(rider, id)))));
            }
            for (long stop : stops(id)) {
                out.writeInt64(6, stop);
            }
            for (Map.Entry<String, String> tag : tags(id).entrySet()) {
                out.writeByteArray(7, message(entry -> {
                    entry.writeString(1, tag.getKey());
                    entry.writeString(2, tag.getValue());
                }));
            }
        });
    }

    private static void rider(CodedOutputStream out, long id) throws IOException {
        out.writeString(1, rider(id));
        Long age = age(id);
        if (age != null) {
            out.writeInt32(2, age.intValue());
        }
    }

    /** An Avro container file, by Avro's own writer. */
    static void writeContainer(Path file, String codec, long from, long to) throws IOException {
        Schema schema = new Schema.Parser().parse(AVRO);
        Schema payloadSchema = schema.getField("payload").schema().getTypes().get(1);
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(CodecFactory.fromString(codec))
                    .setSyncInterval(4_096)
                    .create(schema, file.toFile());
            for (long id = from; id < to; id++) {
                GenericRecord ride = new GenericData.Record(schema);
                ride.put("id", id);
                ride.put("status", status(id));
                ride.put("fare", fare(id));
                ride.put("vip", vip(id));
                if (hasPayload(id)) {
                    GenericRecord payload = new GenericData.Record(payloadSchema);
                    GenericRecord rider = new GenericData.Record(
                            payloadSchema.getField("rider").schema());
                    rider.put("id", rider(id));
                    Long age = age(id);
                    rider.put("age", age == null ? null : age.intValue());
                    payload.put("rider", rider);
                    ride.put("payload", payload);
                }
                ride.put("stops", stops(id));
                ride.put("tags", tags(id));
                writer.append(ride);
            }
        }
    }

    /** Records, each after its length in four bytes. */
    static byte[] framed(Iterable<byte[]> records) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            for (byte[] record : records) {
                out.writeInt(record.length);
                out.write(record);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Compresses as {@code envelope.compression} of this name expects. */
    static byte[] compress(String compression, byte[] record) {
        try {
            return switch (compression) {
                case "none" -> record;
                case "zstd" -> Zstd.compress(record);
                case "snappy" -> Snappy.compress(record);
                case "lz4" -> streamed(record, LZ4FrameOutputStream::new);
                case "gzip" -> streamed(record, GZIPOutputStream::new);
                default -> streamed(record, DeflaterOutputStream::new);
            };
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Compressor {
        OutputStream to(OutputStream out) throws IOException;
    }

    private static byte[] streamed(byte[] record, Compressor compressor) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = compressor.to(bytes)) {
            out.write(record);
        }
        return bytes.toByteArray();
    }
}
