package io.thalweg.records.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.TextFormat;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordFormat;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.json.JsonSchema;
import io.thalweg.records.proto.ProtoFiles;
import io.thalweg.records.proto.ProtoSchema;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.JsonBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.message.BinaryMessageEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages of several writers, written by Avro's own library and read with the schema of a table. */
class WireReaderTest {
    private static final String TABLE =
            record("{'name': 'id', 'type': 'long'}, {'name': 'city', 'type': 'string', 'default': 'none'}");
    private static final String OLDER = record("{'name': 'id', 'type': 'int'}");
    private static final String NEWER = record(
            "{'name': 'fare', 'type': 'double'}, {'name': 'city', 'type': 'string'}, {'name': 'id', 'type': 'long'}");
    private static final String FOREIGN = record("{'name': 'id', 'type': 'string'}");

    private final Registered schemas = new Registered();

    private static String record(String fields) {
        return "{'type': 'record', 'name': 'Ride', 'fields': [%s]}"
                .formatted(fields)
                .replace('\'', '"');
    }

    /** Schemas by their ids, which are also their versions; counts requests. */
    private static final class Registered implements WriterSchemas {
        private final Map<Integer, String> texts = new HashMap<>();
        private int requests;

        @Override
        public RegisteredSchema byId(int id) {
            requests++;
            String text = texts.get(id);
            if (text == null) {
                throw new UnknownSchemaException("schema " + id + " is not here");
            }
            return new RegisteredSchema(id, id, text);
        }

        @Override
        public List<Integer> versions() {
            requests++;
            return texts.keySet().stream().sorted().toList();
        }

        @Override
        public RegisteredSchema ofVersion(int version) {
            return byId(version);
        }
    }

    private static byte[] avro(String schema, long id) {
        try {
            Schema parsed = new Schema.Parser().parse(schema);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
            new GenericDatumWriter<GenericRecord>(parsed).write(ride(parsed, id), encoder);
            encoder.flush();
            return out.toByteArray();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static GenericRecord ride(Schema schema, long id) {
        GenericRecord ride = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
            ride.put(
                    field.name(),
                    switch (field.schema().getType()) {
                        case INT -> (int) id;
                        case LONG -> id;
                        case DOUBLE -> id / 2.0;
                        default -> "of " + id;
                    });
        }
        return ride;
    }

    private static byte[] confluent(int id, byte[] message) {
        return ByteBuffer.allocate(5 + message.length)
                .put((byte) 0)
                .putInt(id)
                .put(message)
                .array();
    }

    private static RecordReader reader(RecordFormat format) {
        return format.reader(Translation.of(format.struct(), Selection.ALL), Limits.DEFAULT);
    }

    private static String read(RecordReader reader, RecordFormat format, byte[] message) {
        JsonBytes json = new JsonBytes(format.struct());
        byte[] within = Arrays.copyOf(new byte[3], message.length + 6);
        System.arraycopy(message, 0, within, 3, message.length);
        json.begin();
        reader.read(within, 3, 3 + message.length, json);
        json.end();
        return new String(json.data(), json.from(), json.to() - json.from(), StandardCharsets.UTF_8);
    }

    private static void assertBad(RecordReader reader, RecordFormat format, byte[] message, RecordFault fault) {
        assertThatThrownBy(() -> read(reader, format, message))
                .isInstanceOf(BadRecordException.class)
                .extracting(e -> ((BadRecordException) e).fault())
                .isEqualTo(fault);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void read_messagesOfSeveralWriters_areResolvedByTheIdOfEach(long seed) {
        Random random = new Random(seed);
        schemas.texts.putAll(Map.of(1, OLDER, 2, TABLE, 3, NEWER));
        RecordFormat format = new WireFormat(AvroSchema.parse(TABLE), Wire.CONFLUENT, schemas);
        RecordReader reader = reader(format);
        for (int i = 0; i < 50; i++) {
            long id = random.nextInt();
            int writer = 1 + random.nextInt(3);
            String city = writer == 1 ? "none" : "of " + id;
            assertThat(read(reader, format, confluent(writer, avro(schemas.texts.getOrDefault(writer, ""), id))))
                    .isEqualTo("{\"id\":%d,\"city\":\"%s\"}".formatted(id, city));
        }
        assertThat(schemas.requests).as("each schema is fetched once").isLessThanOrEqualTo(3);
    }

    @Test
    void read_messageThatNamesNoUsableSchema_hasItsReason() {
        schemas.texts.putAll(Map.of(1, FOREIGN, 2, "{", 3, TABLE));
        RecordFormat format = new WireFormat(AvroSchema.parse(TABLE), Wire.CONFLUENT, schemas);
        RecordReader reader = reader(format);
        byte[] message = avro(TABLE, 7);

        assertBad(reader, format, message, RecordFault.UNDECODABLE);
        assertBad(reader, format, new byte[] {0, 0, 0, 3}, RecordFault.UNDECODABLE);
        assertBad(reader, format, new byte[0], RecordFault.EMPTY);
        assertBad(reader, format, confluent(9, message), RecordFault.UNKNOWN_SCHEMA);
        assertBad(reader, format, confluent(1, avro(FOREIGN, 7)), RecordFault.SCHEMA_INCOMPATIBLE);
        assertBad(reader, format, confluent(2, message), RecordFault.SCHEMA_INCOMPATIBLE);
        assertBad(reader, format, confluent(3, Arrays.copyOf(message, 2)), RecordFault.UNDECODABLE);
        assertThat(read(reader, format, confluent(3, message))).isEqualTo("{\"id\":7,\"city\":\"of 7\"}");
    }

    @Test
    void read_unknownSchema_isLookedForAgainAfterTenSecondsOnly() {
        long[] nanos = {-5};
        AvroSchema table = AvroSchema.parse(TABLE);
        Translation translation = Translation.of(table.struct(), Selection.ALL);
        RecordReader reader = new WireReader(
                Wire.CONFLUENT,
                id -> schemas.byId((int) id),
                schema -> table.reader(translation, Limits.DEFAULT),
                () -> nanos[0]);
        byte[] message = confluent(4, avro(TABLE, 7));

        assertBad(reader, table, message, RecordFault.UNKNOWN_SCHEMA);
        schemas.texts.put(4, TABLE);
        assertBad(reader, table, message, RecordFault.UNKNOWN_SCHEMA);
        nanos[0] += TimeUnit.SECONDS.toNanos(10) - 1;
        assertBad(reader, table, message, RecordFault.UNKNOWN_SCHEMA);
        assertThat(schemas.requests).isEqualTo(1);
        nanos[0] += 1;
        assertThat(read(reader, table, message)).isEqualTo("{\"id\":7,\"city\":\"of 7\"}");
        assertThat(schemas.requests).isEqualTo(2);
    }

    @Test
    void read_moreSchemasThanAreKept_fetchesThoseAgainThatWereUsedLongestAgo() {
        RecordFormat format = new WireFormat(AvroSchema.parse(TABLE), Wire.CONFLUENT, schemas);
        RecordReader reader = reader(format);
        byte[] message = avro(TABLE, 1);
        for (int id = 0; id <= WireReader.MOST_READERS; id++) {
            schemas.texts.put(id, TABLE);
            assertThat(read(reader, format, confluent(id, message))).isNotEmpty();
        }
        assertThat(schemas.requests).isEqualTo(WireReader.MOST_READERS + 1);
        assertThat(read(reader, format, confluent(WireReader.MOST_READERS, message)))
                .isNotEmpty();
        assertThat(read(reader, format, confluent(1, message))).isNotEmpty();
        assertThat(schemas.requests).isEqualTo(WireReader.MOST_READERS + 1);
        assertThat(read(reader, format, confluent(0, message))).isNotEmpty();
        assertThat(schemas.requests).isEqualTo(WireReader.MOST_READERS + 2);
    }

    @Test
    void read_singleObjects_areResolvedByTheirFingerprints() throws IOException {
        schemas.texts.putAll(Map.of(1, OLDER, 2, FOREIGN));
        RecordFormat format = new WireFormat(AvroSchema.parse(TABLE), Wire.SINGLE_OBJECT, schemas);
        RecordReader reader = reader(format);

        assertThat(read(reader, format, singleObject(TABLE, 5))).isEqualTo("{\"id\":5,\"city\":\"of 5\"}");
        assertThat(schemas.requests).as("the table's own schema is known").isZero();
        assertThat(read(reader, format, singleObject(OLDER, 6))).isEqualTo("{\"id\":6,\"city\":\"none\"}");
        assertBad(reader, format, singleObject(FOREIGN, 5), RecordFault.SCHEMA_INCOMPATIBLE);
        assertBad(reader, format, singleObject(NEWER, 5), RecordFault.UNKNOWN_SCHEMA);
        assertBad(reader, format, confluent(1, avro(OLDER, 5)), RecordFault.UNDECODABLE);
    }

    private static byte[] singleObject(String schema, long id) throws IOException {
        Schema parsed = new Schema.Parser().parse(schema);
        ByteBuffer message =
                new BinaryMessageEncoder<GenericRecord>(GenericData.get(), parsed).encode(ride(parsed, id));
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }

    @Test
    void header_ofEachWire_isWhatReadersExpect() throws IOException {
        AvroSchema table = AvroSchema.parse(TABLE);
        byte[] message = avro(TABLE, 5);
        assertThat(joined(WireFormat.header(table, Wire.CONFLUENT, 77), message))
                .isEqualTo(confluent(77, message));
        assertThat(joined(WireFormat.header(table, Wire.SINGLE_OBJECT, 77), message))
                .isEqualTo(singleObject(TABLE, 5));
    }

    private static byte[] joined(byte[] head, byte[] tail) {
        return ByteBuffer.allocate(head.length + tail.length)
                .put(head)
                .put(tail)
                .array();
    }

    @Test
    void read_json_byTheTablesSchemaWhateverTheWriterIs() {
        String table =
                "{\"type\": \"object\", \"required\": [\"id\"], \"properties\": {\"id\": {\"type\": \"integer\"}}}";
        schemas.texts.put(1, table);
        RecordFormat format = new WireFormat(JsonSchema.parse(table, "ride.json"), Wire.CONFLUENT, schemas);
        RecordReader reader = reader(format);

        byte[] message = "{\"id\": 7, \"more\": 1}".getBytes(StandardCharsets.UTF_8);
        assertThat(read(reader, format, confluent(1, message))).isEqualTo("{\"id\":7}");
        assertBad(reader, format, confluent(2, message), RecordFault.UNKNOWN_SCHEMA);
        assertBad(reader, format, confluent(1, "{}".getBytes(StandardCharsets.UTF_8)), RecordFault.MISSING_FIELD);
    }

    private static final String RIDE = """
            name: 'default' package: 'demo' syntax: 'proto3'
            dependency: 'google/protobuf/timestamp.proto'
            message_type { name: 'Other' }
            message_type { name: 'Ride'
              field { name: 'id' number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL }
              nested_type { name: 'Inner'
                field { name: 'b' number: 1 type: TYPE_INT64 label: LABEL_OPTIONAL } } }
            """;

    private static byte[] descriptorSet(String text) {
        FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder();
        try {
            TextFormat.merge(text, file);
        } catch (TextFormat.ParseException e) {
            throw new AssertionError(e);
        }
        return ProtoFiles.set(file.build().toByteArray(), Map.of());
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Test
    void read_protobuf_byTheIndexesOfItsType() {
        byte[] set = descriptorSet(RIDE);
        schemas.texts.put(1, latin(set));
        schemas.texts.put(2, latin(descriptorSet("name: 'default' message_type { name: 'Ride' }")));
        schemas.texts.put(3, latin(descriptorSet(RIDE.replace("message_type { name: 'Other' }", ""))));
        ProtoSchema ride = ProtoSchema.of(set, "Ride");
        WireFormat format = new WireFormat(ride, Wire.CONFLUENT, schemas);
        RecordReader reader = reader(format);
        byte[] seven = {8, 7};

        assertThat(WireFormat.header(format, Wire.CONFLUENT, 1))
                .as("one index, which is 1")
                .endsWith(2, 2);
        assertThat(read(reader, format, joined(WireFormat.header(format, Wire.CONFLUENT, 1), seven)))
                .isEqualTo("{\"id\":7}");
        assertThat(read(reader, format, WireFormat.header(format, Wire.CONFLUENT, 1)))
                .as("a message of defaults")
                .isEqualTo("{\"id\":0}");
        assertThat(read(reader, format, confluent(3, new byte[] {0, 8, 7})))
                .as("in another file it is the first, which is written as no index")
                .isEqualTo("{\"id\":7}");
        assertBad(reader, format, confluent(1, new byte[] {0, 8, 7}), RecordFault.SCHEMA_INCOMPATIBLE);
        assertBad(reader, format, confluent(1, new byte[] {4, 2, 0, 8, 7}), RecordFault.SCHEMA_INCOMPATIBLE);
        assertBad(reader, format, confluent(2, new byte[] {0, 8, 7}), RecordFault.SCHEMA_INCOMPATIBLE);
        assertBad(reader, format, confluent(1, new byte[] {-1, -1}), RecordFault.UNDECODABLE);
        assertBad(reader, format, confluent(1, new byte[0]), RecordFault.UNDECODABLE);

        ProtoSchema inner = ProtoSchema.of(set, "demo.Ride.Inner");
        WireFormat nested = new WireFormat(inner, Wire.CONFLUENT, schemas);
        assertThat(WireFormat.header(nested, Wire.CONFLUENT, 1)).endsWith(4, 2, 0);
        assertThat(read(reader(nested), nested, joined(WireFormat.header(nested, Wire.CONFLUENT, 1), seven)))
                .isEqualTo("{\"b\":7}");
    }
}
