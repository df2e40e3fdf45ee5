package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.devkit.registry.SchemaRegistryFake;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Views over events that name their schemas in a registry: rows are those of the same events in JSON without a schema. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class ViewRegistryIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SUBJECT = "rides-value";
    private static final String BY_REGISTRY = "format: %s, schema: {registry: default, subject: " + SUBJECT + "%s}";
    private static final int RIDES = 1_000;
    private static final int UNKNOWN_ID = 99;

    /** The id of the first ride, which is its time, in seconds. */
    private static final long FIRST = 1_760_000_000;

    /** Rides of a producer whose schema has a field more in front, and the id at the end. */
    private static final Schema EVOLVED = new Schema.Parser().parse(evolved(Rides.AVRO));

    @TempDir
    Path folder;

    private SchemaRegistryFake registry;

    @BeforeEach
    void prepare() throws IOException {
        Rides.writeSchemas(folder);
        registry = SchemaRegistryFake.start();
        registry.requireAuthorization("Bearer secret");
        Files.writeString(config(), "deployment: test\n" + registryOf(registry.url()));
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    private static String registryOf(String url) {
        return "schema_registry: {default: {url: \"%s\", auth: {token: secret}}}".formatted(url);
    }

    private static String evolved(String schema) {
        String id = "{\"name\": \"id\", \"type\": \"long\"}";
        return schema.replace(id + ",", "{\"name\": \"tip\", \"type\": \"double\", \"default\": 1.5},")
                .replaceFirst("\\]\\}\\s*$", ", " + id + "]}");
    }

    private Path config() {
        return folder.resolve("thalweg.yaml");
    }

    private Path define(String source) throws IOException {
        return Files.writeString(folder.resolve("views.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: rides_by_status
                source: {topic: rides, start: earliest, %s, event_time: {field: id, unit: s}, idle_after: 1h}
                where: {status: {not: [TEST]}}
                entities: [{name: status, field: status}]
                measures:
                  - {name: rides, count: all}
                  - {name: fares, sum: fare, where: {fare: {exists: true}}}
                  - {name: riders, count_distinct: payload.rider.id, where: {payload: {exists: true}}}
                windows: {sizes: [1m, 5m], every: 1m}
                sink: {topic: ride-rows, format: json}
                """.formatted(source));
    }

    private static byte[] confluent(int id, byte[]... message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(ByteBuffer.allocate(5).put((byte) 0).putInt(id).array());
        Arrays.stream(message).forEach(bytes::writeBytes);
        return bytes.toByteArray();
    }

    /** The same ride as Avro's own library writes it with another schema. */
    private static byte[] rewritten(byte[] ride, Schema to) {
        try {
            GenericRecord read = new GenericDatumReader<GenericRecord>(new Schema.Parser().parse(Rides.AVRO), to)
                    .read(null, DecoderFactory.get().binaryDecoder(ride, null));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
            new GenericDatumWriter<GenericRecord>(to).write(read, encoder);
            encoder.flush();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private CommandRun command(Object... arguments) {
        List<Object> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--config", config()));
        CommandRun run = CommandRun.of(all.toArray());
        assertThat(run.out() + run.err()).doesNotContain("secret");
        return run;
    }

    private CommandRun succeed(Object... arguments) {
        CommandRun run = command(arguments);
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }

    private List<String> rows(Path view, Path input) throws IOException {
        Path rows = folder.resolve("rows.jsonl");
        succeed("run", view, "--input", input, "--output", rows, "--quiet", "--parallelism", 2);
        assertThat(succeed("verify", view, "--input", input, "--rows", rows, "--quiet")
                        .out())
                .matches("verify: \\d+ rows equal\n");
        return Files.readAllLines(rows).stream().sorted().toList();
    }

    /** The rows of the same rides in JSON without a schema. */
    private List<String> expected(long... more) throws IOException {
        Encoder encoder = Rides.encoder(Format.JSON, folder);
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (long id : ids(more)) {
            lines.writeBytes(encoder.encode(id));
            lines.write('\n');
        }
        List<String> rows =
                rows(define("format: json"), Files.write(folder.resolve("rides.jsonl"), lines.toByteArray()));
        assertThat(rows).hasSizeGreaterThan(25);
        return rows;
    }

    private static long[] ids(long... more) {
        return LongStream.concat(LongStream.range(FIRST, FIRST + RIDES), LongStream.of(more))
                .toArray();
    }

    private List<JsonNode> letters() throws IOException {
        List<JsonNode> letters = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("rows.jsonl.dead.jsonl"))) {
            letters.add(JSON.readTree(line));
        }
        return letters;
    }

    @Tag("test")
    @Test
    void run_avroOfSeveralWriters_rowsAreThoseOfJsonAndWhatNamesNoUsableSchemaIsBad() throws IOException {
        List<String> expected = expected();
        int evolved = registry.register(SUBJECT, "AVRO", EVOLVED.toString());
        int foreign =
                registry.register("other", "AVRO", Rides.AVRO.replace("\"type\": \"long\"}", "\"type\": \"string\"}"));
        int current = registry.register(SUBJECT, "AVRO", Rides.AVRO);
        Path view = define(BY_REGISTRY.formatted("avro", ""));
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        byte[] ride = encoder.encode(FIRST);
        List<byte[]> records = new ArrayList<>();
        for (long id : ids()) {
            byte[] plain = encoder.encode(id);
            records.add(id % 3 == 0 ? confluent(evolved, rewritten(plain, EVOLVED)) : confluent(current, plain));
        }
        records.addAll(List.of(
                ride,
                confluent(UNKNOWN_ID, ride),
                confluent(foreign, ride),
                confluent(current, Arrays.copyOf(ride, 3))));
        Path input = Files.write(folder.resolve("rides.bin"), Rides.framed(records));

        assertThat(rows(view, input)).isEqualTo(expected);

        assertThat(letters())
                .extracting(letter -> letter.get("reason").asText())
                .containsOnly("undecodable")
                .hasSize(4);
        assertThat(letters().stream().map(letter -> letter.get("detail").asText()))
                .anyMatch(detail -> detail.contains("must name its schema"))
                .anyMatch(detail -> detail.contains("schema " + UNKNOWN_ID + " is not in schema registry default"))
                .anyMatch(detail -> detail.contains("'id'") || detail.contains("string"));
        assertThat(succeed("validate", view, "--sample", input).out())
                .contains("source rides, avro, schema " + SUBJECT + ", version 2")
                .contains(" + bad 4 + late 0", "undecodable 4");
        assertThat(succeed("explain", view).out()).contains("schema " + SUBJECT + ", version 2");
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(
            value = Format.class,
            names = {"JSON", "PROTOBUF"})
    void run_jsonAndProtobuf_rowsAreThoseOfJsonWithoutASchema(Format format) throws IOException {
        List<String> expected = expected();
        int id = format == Format.JSON
                ? registry.register(SUBJECT, "JSON", Files.readString(folder.resolve("ride.json")))
                : registry.register(SUBJECT, "PROTOBUF", descriptor());
        byte[] indexes = format == Format.JSON ? new byte[0] : new byte[1];
        Encoder encoder = Rides.encoder(format, folder);
        Path view = define(BY_REGISTRY.formatted(
                format.name().toLowerCase(Locale.ROOT), format == Format.JSON ? "" : ", type: Ride"));
        List<byte[]> records = LongStream.of(ids())
                .mapToObj(ride -> confluent(id, indexes, encoder.encode(ride)))
                .toList();

        assertThat(rows(view, Files.write(folder.resolve("rides.bin"), Rides.framed(records))))
                .isEqualTo(expected);
    }

    private String descriptor() throws IOException {
        FileDescriptorSet set = FileDescriptorSet.parseFrom(Files.readAllBytes(folder.resolve("ride.desc")));
        return Base64.getEncoder().encodeToString(set.getFile(0).toByteArray());
    }

    /** A schema of a file, without a registry: the same reader. */
    @Tag("test")
    @Test
    void run_jsonWithTheSchemaOfAFile_rowsAreThoseOfJsonWithoutASchema() throws IOException {
        List<String> expected = expected();

        assertThat(rows(define(Format.JSON.source), folder.resolve("rides.jsonl")))
                .isEqualTo(expected);
    }

    /**
     * The schema evolves while the job runs, and the registry is unavailable when the first event names the new one. An event that
     * names an unknown schema is bad.
     */
    @Tag("faults")
    @Test
    void run_liveWithASchemaThatEvolves_countsAllEventsAndWaitsForTheRegistry() throws Exception {
        long last = FIRST + 100_001; // the status TEST, which the view skips: its time ends all windows
        List<String> expected = expected(last);
        int current = registry.register(SUBJECT, "AVRO", Rides.AVRO);
        define(BY_REGISTRY.formatted("avro", ""));
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            for (String topic : List.of("rides", "rides-dead", "ride-rows")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            try (KafkaProducer<byte[], byte[]> producer = producer(kafka);
                    ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap(), registryOf(registry.url()));
                    TopicTail rows = new TopicTail(kafka.bootstrap(), "ride-rows", "read_committed");
                    TopicTail letters = new TopicTail(kafka.bootstrap(), "rides-dead", "read_committed")) {
                Subprocess run = thalweg.start();
                for (long id = FIRST; id < FIRST + RIDES / 2; id++) {
                    send(producer, id, confluent(current, encoder.encode(id)));
                }
                producer.flush();
                assertThat(rows.readUntil(() -> !rows.lines().isEmpty(), PATIENCE))
                        .as(() -> String.join("\n", run.stderr()))
                        .isTrue();

                int evolved = registry.register(SUBJECT, "AVRO", EVOLVED.toString());
                registry.setAway(true);
                int before = registry.requests();
                for (long id = FIRST + RIDES / 2; id < FIRST + RIDES; id++) {
                    send(producer, id, confluent(evolved, rewritten(encoder.encode(id), EVOLVED)));
                }
                byte[] unknown = confluent(UNKNOWN_ID, encoder.encode(FIRST));
                send(producer, 1, unknown);
                for (int partition = 0; partition < RiderFeed.PARTITIONS; partition++) {
                    send(producer, partition, confluent(current, encoder.encode(last)));
                }
                producer.flush();
                registry.awaitRequests(before + 3, PATIENCE.toMillis());
                assertThat(run.isAlive())
                        .as(() -> String.join("\n", run.stderr()))
                        .isTrue();
                registry.setAway(false);

                rows.readUntil(() -> rows.lines().size() >= expected.size(), PATIENCE);
                rows.drain();
                letters.readUntil(() -> !letters.lines().isEmpty(), PATIENCE);
                letters.drain();

                assertThat(rows.lines())
                        .as(() -> String.join("\n", run.stderr()))
                        .containsExactlyInAnyOrderElementsOf(expected);
                assertThat(letters.lines()).hasSize(1);
                JsonNode letter = JSON.readTree(letters.lines().get(0));
                assertThat(letter.get("reason").asText()).isEqualTo("undecodable");
                assertThat(letter.get("raw").binaryValue()).isEqualTo(unknown);
            }
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedKafka kafka) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, long id, byte[] value) {
        var unused = producer.send(new ProducerRecord<>("rides", (int) (id % RiderFeed.PARTITIONS), null, value));
    }

    @Tag("test")
    @Test
    void validate_registryThatCannotBeUsed_saysWhy() throws IOException {
        Path view = define(BY_REGISTRY.formatted("avro", ""));
        assertRefused(view, 2, "source.schema: subject " + SUBJECT + " is not in schema registry default at ");
        registry.register(SUBJECT, "AVRO", Rides.AVRO.replace("\"fare\"", "\"price\""));
        assertRefused(view, 2, "measures[1].sum: 'fare' is not a field of the schema");
        registry.setAway(true);
        assertRefused(view, 1, "schema registry default at " + registry.url() + " cannot be used");
        assertRefused(
                define("format: avro, schema: {registry: main, subject: s}"),
                2,
                "source.schema: schema registry 'main' is not in thalweg.yaml; add schema_registry: {main: ");
    }

    private void assertRefused(Path view, int exit, String words) {
        for (List<Object> command : List.<List<Object>>of(
                List.of("validate", view), List.of("explain", view), List.of("run", view, "--input", view))) {
            CommandRun run = command(command.toArray());
            assertThat(run.exit()).as(run.err()).isEqualTo(exit);
            assertThat(run.err()).contains(words).doesNotContain("unexpected:", "\tat ");
        }
    }

    @Tag("test")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "format: avro, schema: {registry: default}                                | schema.subject: is required",
                "format: avro, schema: {registry: default, subject: s, file: ride.avsc}   | schema.file: does not go with registry in a view",
                "format: avro, schema: {file: ride.avsc, wire: confluent}                 | schema.wire: confluent needs a registry",
                "format: json, schema: {file: ride.json, wire: single_object}             | schema.wire: single_object goes with format: avro only",
                "format: thrift, schema: {registry: default, subject: s}                  | schema.registry: does not go with format: thrift",
                "format: csv, schema: {registry: default, subject: s}                     | schema: does not go with format: csv"
            })
    void validate_schemaKeysThatDoNotFit_namesTheKey(String source, String rule) throws IOException {
        assertRefused(define(source), 2, rule);
    }
}
