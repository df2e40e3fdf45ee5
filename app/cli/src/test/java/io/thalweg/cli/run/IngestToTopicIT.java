package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.registry.SchemaRegistryFake;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code thalweg ingest} into a topic: each event becomes one message, in the order of its partition. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestToTopicIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int PARTITIONS = 3;
    private static final long SENT_MS = 1_770_000_000_000L;
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    @TempDir
    Path folder;

    private RidesTopic rides;
    private IngestFolder ingest;
    private String from;
    private String to;

    @BeforeEach
    void define() throws IOException {
        rides = BROKER.topic(folder, PARTITIONS);
        ingest = rides.ingest();
        from = rides.name();
        to = "to-" + folder.getFileName();
        rides.configure("");
    }

    private void define(String sink) throws IOException {
        rides.define("", "topic: %s, %s".formatted(to, sink));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Rides by partition in turn, each with a key, a time and a header. */
    private void send(long first, long end) {
        Encoder encoder = rides.encoder();
        for (long id = first; id < end; id++) {
            var unused = BROKER.producer()
                    .send(new ProducerRecord<>(
                            from,
                            (int) (id % PARTITIONS),
                            SENT_MS + id,
                            utf8("key-" + id),
                            encoder.encode(id),
                            new RecordHeaders().add("trace", utf8("trace-" + id))));
        }
        BROKER.producer().flush();
    }

    /** The committed records of the sink's topic by partition. */
    private Map<Integer, List<ConsumerRecord<byte[], byte[]>>> written() {
        return CommittedRecords.of(BROKER.bootstrap(), to);
    }

    /** Reads the id and the status of a message. */
    private interface Decoder {
        Map<String, Object> decode(byte[] message) throws IOException;
    }

    private Decoder decoder(String format) throws Exception {
        if (format.equals("json")) {
            return message -> Map.of(
                    "id",
                    JSON.readTree(message).get("id").asLong(),
                    "status",
                    JSON.readTree(message).get("status").asText());
        }
        if (format.equals("protobuf")) {
            FileDescriptorSet set = FileDescriptorSet.parseFrom(Files.readAllBytes(folder.resolve("ride.desc")));
            Descriptor ride = FileDescriptor.buildFrom(set.getFile(0), new FileDescriptor[0])
                    .findMessageTypeByName("Ride");
            return message -> {
                DynamicMessage read = DynamicMessage.parseFrom(ride, message);
                return Map.of(
                        "id",
                        read.getField(ride.findFieldByName("id")),
                        "status",
                        read.getField(ride.findFieldByName("status")));
            };
        }
        return avro();
    }

    private Decoder avro() {
        Schema schema = new Schema.Parser().parse(explained(true));
        GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
        return message -> {
            GenericRecord read = reader.read(null, DecoderFactory.get().binaryDecoder(message, null));
            Map<String, Object> fields = new HashMap<>();
            schema.getFields().forEach(field -> fields.put(field.name(), read.get(field.name())));
            return fields;
        };
    }

    private static List<Long> ids(Decoder decoder, List<ConsumerRecord<byte[], byte[]>> records) throws IOException {
        List<Long> ids = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            ids.add((Long) decoder.decode(record.value()).get("id"));
        }
        return ids;
    }

    /** The ids of a partition's rides, in their order. */
    private static List<Long> sent(int partition, long end) {
        return LongStream.range(0, end)
                .filter(id -> id % PARTITIONS == partition)
                .boxed()
                .toList();
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "avro     | delivery: exactly_once",
                "json     | 'format: json, linger: 10ms'",
                "protobuf | 'format: protobuf, schema: {file: ride.desc, type: Ride}, delivery: exactly_once'"
            })
    void ingestOnce_twice_eachRecordIsAMessageWithItsKeyTimeHeadersAndOrder(String format, String sink)
            throws Exception {
        define(sink);
        send(0, 600);
        BROKER.producer().send(new ProducerRecord<>(from, 0, utf8("key"), null)).get();
        assertThat(ingest.succeed("--once"))
                .containsEntry("events", 600L)
                .containsEntry("tombstones", 1L)
                .containsEntry("written", 600L);
        send(600, 900);
        assertThat(ingest.succeed("--once", "--parallelism", 2))
                .as("only what is new")
                .containsEntry("events", 300L)
                .containsEntry("written", 300L);

        Decoder decoder = decoder(format);
        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> written = written();

        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<ConsumerRecord<byte[], byte[]>> records = written.getOrDefault(partition, List.of());
            assertThat(ids(decoder, records)).isEqualTo(sent(partition, 900));
            for (ConsumerRecord<byte[], byte[]> record : records) {
                Map<String, Object> fields = decoder.decode(record.value());
                long id = (Long) Objects.requireNonNull(fields.get("id"));
                assertThat(String.valueOf(fields.get("status"))).isEqualTo(Rides.status(id));
                assertThat(record.key()).isEqualTo(utf8("key-" + id));
                assertThat(record.timestamp()).isEqualTo(SENT_MS + id);
                assertThat(record.headers())
                        .extracting(header -> tuple(header.key(), new String(header.value(), StandardCharsets.UTF_8)))
                        .containsExactly(tuple("trace", "trace-" + id));
            }
        }
    }

    @Tag("faults")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "avro     | AVRO     | 'format: avro, delivery: exactly_once, schema: {registry: default}'",
                "avro     | AVRO     | 'format: avro, schema: {registry: default, wire: single_object}'",
                "json     | JSON     | 'format: json, schema: {registry: default, subject: the/rides}'",
                "protobuf | PROTOBUF | 'format: protobuf, schema: {file: ride.desc, type: Ride, registry: default}'"
            })
    void ingestOnce_schemaInARegistry_isNamedByEachMessageAndReadByIt(String format, String type, String sink)
            throws Exception {
        try (SchemaRegistryFake registry = SchemaRegistryFake.start()) {
            var unused = registry.register("another", "JSON", "{}");
            rides.configure("schema_registry: {default: {url: \"%s\"}}".formatted(registry.url()));
            define(sink);
            send(0, 30);
            CommandRun made = ingest.run("--provision");
            assertThat(made.exit()).as(made.err()).isZero();
            String subject = sink.contains("the/rides") ? "the/rides" : to + "-value";
            assertThat(made.out())
                    .contains("registered the schema of the messages under subject " + subject)
                    .contains(": id 2");
            assertThat(ingest.run("--provision").out())
                    .contains("subject " + subject)
                    .contains("has the schema of the messages: id 2, version 1");
            assertThat(registry.text(2))
                    .isEqualTo(type.equals("PROTOBUF") ? descriptor() : explained(format.equals("avro")));

            assertThat(ingest.succeed("--once")).containsEntry("written", 30L);
            send(30, 40);
            assertThat(ingest.succeed("--once")).containsEntry("written", 10L);

            boolean isSingleObject = sink.contains("single_object");
            List<Long> ids = new ArrayList<>();
            for (var records : written().values()) {
                ids.addAll(ids(named(format, isSingleObject), records));
            }
            assertThat(ids)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, 40).boxed().toList());
            assertReadBack(format, subject, isSingleObject ? "single_object" : "confluent");
        }
    }

    private String descriptor() throws IOException {
        FileDescriptorSet set = FileDescriptorSet.parseFrom(Files.readAllBytes(folder.resolve("ride.desc")));
        return Base64.getEncoder().encodeToString(set.getFile(0).toByteArray());
    }

    /** The schema that {@code explain} prints for those who read the topic. */
    private String explained(boolean avro) {
        List<Object> command = new ArrayList<>(
                List.of("explain", folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml")));
        if (avro) {
            command.add("--avro-schema");
        }
        CommandRun explained = CommandRun.of(command.toArray());
        assertThat(explained.exit()).as(explained.err()).isZero();
        return explained.out().substring(explained.out().indexOf('{')).strip();
    }

    /** Decodes the schema reference of a message, and the message after it, without Thalweg's code. */
    private Decoder named(String format, boolean isSingleObject) throws Exception {
        if (isSingleObject) {
            BinaryMessageDecoder<GenericRecord> objects =
                    new BinaryMessageDecoder<>(new GenericData(), new Schema.Parser().parse(explained(true)));
            return message -> Map.of("id", objects.decode(message).get("id"));
        }
        byte[] header = format.equals("protobuf") ? new byte[] {0, 0, 0, 0, 2, 0} : new byte[] {0, 0, 0, 0, 2};
        Decoder bare = decoder(format);
        return message -> {
            assertThat(message).startsWith(header);
            return bare.decode(Arrays.copyOfRange(message, header.length, message.length));
        };
    }

    /** An ingest that reads the topic with the registry finds all rides. */
    private void assertReadBack(String format, String subject, String wire) throws IOException {
        Files.writeString(ingest.file("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: back
                source: {topic: %s, format: %s, schema: {registry: default, subject: "%s", wire: %s%s}}
                sink: {parquet: table, every: 1s}
                """.formatted(
                        to, format, subject, wire, format.equals("protobuf") ? ", type: Ride" : ""));
        assertThat(ingest.succeed("--once")).containsEntry("bad", 0L).containsEntry("written", 40L);
        assertThat(ParquetFolder.longs(ParquetFolder.files(ingest.table()), "id"))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 40).boxed().toList());
    }

    /** JSON whose schema requires more than the rides have, until it is corrected. */
    private void defineStrict(String required) throws IOException {
        Files.writeString(folder.resolve("strict.json"), """
                {"type": "object", "required": ["id", "status"%s], "properties": {
                  "id": {"type": "integer"}, "status": {"type": "string"}, "city": {"type": "string"}}}
                """.formatted(required));
        define("format: json");
        Path spec = folder.resolve("rides.yaml");
        Files.writeString(
                spec,
                Files.readString(spec)
                        .replace(
                                Format.THRIFT_COMPACT.source,
                                "format: json, schema: {file: strict.json}, envelope: {compression: {header: codec}}"));
    }

    /** Records with text and bytes as keys, with and without headers, some compressed, one with a key that a letter cannot keep. */
    private static ProducerRecord<byte[], byte[]> awkward(String topic, long id) {
        byte[] ride = utf8("{\"id\": %d, \"status\": \"DONE\"}".formatted(id));
        byte[][] keys = {utf8("key \u00e9-" + id), {(byte) 0xff, 0, (byte) id}, null, new byte[40_000], {}};
        RecordHeaders headers = new RecordHeaders();
        if (id % 2 == 0) {
            headers.add("trace", utf8("first"))
                    .add("trace", new byte[] {(byte) 0xfe})
                    .add("none", null);
        }
        if (id % 3 == 0) {
            headers.add("codec", utf8("gzip"));
        }
        return new ProducerRecord<>(
                topic,
                (int) (id % PARTITIONS),
                SENT_MS + id,
                keys[(int) (id % keys.length)],
                id % 3 == 0 ? Rides.compress("gzip", ride) : ride,
                headers);
    }

    @Tag("test")
    @Test
    void replay_lettersOfATopic_keepPartitionKeyTimeAndHeaders() throws Exception {
        defineStrict(", \"city\"");
        for (long id = 0; id < 30; id++) {
            var unused = BROKER.producer().send(awkward(from, id));
        }
        BROKER.producer()
                .send(new ProducerRecord<>(from, 1, SENT_MS, utf8("bad"), utf8("garbage")))
                .get();
        BROKER.producer().flush();
        ingest.succeed("--once");
        assertThat(written()).as("all are bad").isEmpty();
        defineStrict("");

        CommandRun replay = CommandRun.of(
                "replay", folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml"), "--quiet");

        assertThat(replay.exit()).as(replay.err()).isZero();
        assertThat(replay.err())
                .contains("selected=31 ")
                .contains("bad=1 kept=30")
                .contains("left=1 in topic ");
        Decoder decoder = decoder("json");
        Map<Long, ConsumerRecord<byte[], byte[]>> byId = new TreeMap<>();
        for (var records : written().values()) {
            for (ConsumerRecord<byte[], byte[]> record : records) {
                byId.put((Long) decoder.decode(record.value()).get("id"), record);
            }
        }
        assertThat(byId).hasSize(30);
        byId.forEach((id, record) -> {
            ProducerRecord<byte[], byte[]> origin = awkward(from, id);
            assertThat(record.partition()).isEqualTo(origin.partition());
            assertThat(record.key()).as("key of %d", id).isEqualTo(origin.key());
            assertThat(record.timestamp()).isEqualTo(origin.timestamp());
            origin.headers().remove("codec");
            assertThat(record.headers().toArray()).isEqualTo(origin.headers().toArray());
        });
        JsonNode left = letterOfTheSecondAttempt();
        assertThat(left.get("key").asText()).isEqualTo("bad");
        assertThat(left.get("key_encoding").asText()).isEqualTo("text");
        assertThat(left.get("timestamp").asLong()).isEqualTo(SENT_MS);
    }

    /** Returns the letter of the message that was bad again. */
    private JsonNode letterOfTheSecondAttempt() throws IOException {
        for (var records :
                CommittedRecords.of(BROKER.bootstrap(), from + "-dead").values()) {
            for (ConsumerRecord<byte[], byte[]> record : records) {
                JsonNode letter = JSON.readTree(record.value());
                if (letter.get("attempts").asInt() == 2) {
                    return letter;
                }
            }
        }
        throw new AssertionError("no letter of a second attempt");
    }

    @Tag("test")
    @Test
    void ingestFiles_topicMissing_isMadeAndEachEventIsWrittenOnce() throws Exception {
        define("delivery: exactly_once");
        for (int file = 0; file < 3; file++) {
            Files.write(
                    folder.resolve(file + ".bin"),
                    Rides.framed(LongStream.range(file * 100L, file * 100L + 100)
                            .mapToObj(rides.encoder()::encode)
                            .toList()));
        }

        assertThat(ingest.succeed("--input", folder.resolve("*.bin"), "--parallelism", 2))
                .containsEntry("events", 300L)
                .containsEntry("written", 300L);

        assertThat(ids(avro(), written().getOrDefault(0, List.of())))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 300).boxed().toList());
    }

    @Tag("faults")
    @Test
    void ingest_killedAndRescaled_eachRecordIsCommittedOnceInTheOrderOfItsPartition() throws Exception {
        define("delivery: exactly_once, origin: true");
        Decoder decoder = avro();
        long sent = 0;
        for (int parallelism = 1; parallelism <= 2; parallelism++) {
            long before = count();
            try (Subprocess process = ingest.start("--parallelism", parallelism)) {
                while (count() < before + 1_000) {
                    assertThat(process.isAlive())
                            .as(process.stderr().toString())
                            .isTrue();
                    send(sent, sent + 99);
                    sent += 99;
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                process.signal(Subprocess.Signal.KILL);
                process.awaitExit(PATIENCE);
            }
        }

        assertThat(ingest.succeed("--once", "--parallelism", 3).get("events")).isBetween(0L, sent);

        Map<Integer, List<ConsumerRecord<byte[], byte[]>>> written = written();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<ConsumerRecord<byte[], byte[]>> records = written.getOrDefault(partition, List.of());
            assertThat(ids(decoder, records))
                    .as("partition %d: none lost, none twice, in order", partition)
                    .isEqualTo(sent(partition, sent));
            assertThat(origins(decoder, records))
                    .isEqualTo(LongStream.range(0, records.size()).boxed().toList());
        }
    }

    /** Returns the offsets of the records in the source; requires that each is in the partition that it came from. */
    private static List<Long> origins(Decoder decoder, List<ConsumerRecord<byte[], byte[]>> records)
            throws IOException {
        List<Long> offsets = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            GenericRecord origin = (GenericRecord)
                    Objects.requireNonNull(decoder.decode(record.value()).get("_origin"));
            assertThat(origin.get("partition")).isEqualTo(record.partition());
            assertThat(origin.get("index")).isEqualTo(0L);
            offsets.add((Long) origin.get("offset"));
        }
        return offsets;
    }

    private long count() {
        return written().values().stream().mapToLong(List::size).sum();
    }
}
