package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Views over Avro, Thrift and Protocol Buffers: rows are those of the same events in JSON. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class ViewFormatsIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int RIDES = 2_000;

    /** The id of the first ride, which is its time, in seconds. */
    private static final long FIRST = 1_760_000_000;

    /** Bytes of no format: too long for a varint, not a Thrift type, an Avro union index out of range. */
    private static final byte[] GARBAGE = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 1};

    private static List<String> rowsOfJson = List.of();

    @TempDir
    Path folder;

    @BeforeEach
    void writeSchemas() throws IOException {
        Rides.writeSchemas(folder);
    }

    private Path define(String keys) throws IOException {
        return Files.writeString(folder.resolve("views.yaml"), """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: rides_by_status
                source: {topic: rides, start: earliest, %s, event_time: {field: id, unit: s}}
                where: {status: {not: [TEST]}}
                entities: [{name: status, field: status}]
                measures:
                  - {name: rides, count: all}
                  - {name: fares, sum: fare, where: {fare: {exists: true}}}
                  - {name: riders, count_distinct: payload.rider.id, where: {payload: {exists: true}, vip: [true, null]}}
                  - {name: oldest, max: payload.rider.age, type: int64, where: {payload.rider.age: {exists: true}}}
                windows: {sizes: [1m, 5m], every: 1m}
                sink: {topic: ride-rows, format: json}
                """.formatted(keys));
    }

    private Path write(String name, Encoder encoder) throws IOException {
        List<byte[]> records = new ArrayList<>();
        for (long id = FIRST; id < FIRST + RIDES; id++) {
            records.add(encoder.encode(id));
            if (id == FIRST + 700) {
                records.add(GARBAGE);
            }
        }
        return Files.write(folder.resolve(name), Rides.framed(records));
    }

    private Path writeLines(String name) throws IOException {
        Encoder encoder = Rides.encoder(Format.JSON, folder);
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (long id = FIRST; id < FIRST + RIDES; id++) {
            lines.write(encoder.encode(id));
            lines.write('\n');
        }
        return Files.write(folder.resolve(name), lines.toByteArray());
    }

    private static CommandRun succeed(Object... arguments) {
        CommandRun run = CommandRun.of(arguments);
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }

    private List<String> rows(Path view, Path input) throws IOException {
        Path rows = folder.resolve("rows.jsonl");
        CommandRun run = succeed("run", view, "--input", input, "--output", rows, "--quiet", "--parallelism", 2);
        assertThat(run.counts().get("accepted")).isEqualTo(RIDES * 3 / 4.0);
        assertThat(succeed("verify", view, "--input", input, "--rows", rows, "--quiet")
                        .out())
                .matches("verify: \\d+ rows equal\n");
        return Files.readAllLines(rows).stream().sorted().toList();
    }

    /** Returns the rows of the events in JSON, which the first caller computes. */
    private List<String> expected() throws IOException {
        if (rowsOfJson.isEmpty()) {
            rowsOfJson = rows(define("format: json"), writeLines("rides.jsonl"));
        }
        return rowsOfJson;
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(value = Format.class, names = "JSON", mode = EnumSource.Mode.EXCLUDE)
    void run_framedFile_rowsAreThoseOfJson(Format format) throws IOException {
        List<String> expected = expected();
        Path view = define(format.source);

        assertThat(rows(view, write("rides.bin", Rides.encoder(format, folder))))
                .hasSizeGreaterThan(50)
                .isEqualTo(expected);

        JsonNode letter = JSON.readTree(Files.readString(folder.resolve("rows.jsonl.dead.jsonl")));
        assertThat(letter.path("reason").asText()).isEqualTo("undecodable");
        assertThat(letter.path("raw_encoding").asText()).isEqualTo("base64");
        assertThat(letter.path("raw").binaryValue()).isEqualTo(GARBAGE);
        assertThat(succeed("validate", view, "--sample", folder.resolve("rides.bin"))
                        .out())
                .contains("accepted 1500 + skipped 500 + bad 1 + late 0", "undecodable 1, first in byte ");
    }

    @Tag("test")
    @Test
    void run_avroContainer_rowsAreThoseOfJson() throws IOException {
        List<String> expected = expected();
        Path container = folder.resolve("rides.avro");
        Rides.writeContainer(container, "snappy", FIRST, FIRST + RIDES);

        assertThat(rows(define(Format.AVRO.source), container)).isEqualTo(expected);
    }

    @Tag("test")
    @Test
    void run_compressedRecords_rowsAreThoseOfJson() throws IOException {
        List<String> expected = expected();
        Encoder encoder = Rides.encoder(Format.THRIFT_BINARY, folder);
        Path view = define(Format.THRIFT_BINARY.source + ", envelope: {compression: zstd}");

        assertThat(rows(view, write("rides.bin", id -> Rides.compress("zstd", encoder.encode(id)))))
                .isEqualTo(expected);
    }

    @Tag("test")
    @Test
    void run_definitionThatDoesNotFitTheSchema_isRefused() throws IOException {
        Path view = define(Format.PROTOBUF.source);
        Files.writeString(view, Files.readString(view).replace("sum: fare", "sum: status"));

        for (List<Object> command : List.<List<Object>>of(
                List.of("validate", view), List.of("explain", view), List.of("run", view, "--input", view))) {
            CommandRun run = CommandRun.of(command.toArray());
            assertThat(run.exit()).isEqualTo(2);
            assertThat(run.failures())
                    .singleElement()
                    .asString()
                    .contains("measures[1].sum: 'status' must be a number, and has type text in the schema");
        }
    }

    @Tag("faults")
    @Test
    void run_live_rowsAreThoseOfTheEvents() throws Exception {
        define(Format.THRIFT_COMPACT.source + ", idle_after: 1h");
        Encoder encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        List<byte[]> sent = sent(encoder);
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            for (String topic : List.of("rides", "rides-dead", "ride-rows")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            try (KafkaProducer<byte[], byte[]> producer = producer(kafka);
                    ThalwegProcess thalweg = new ThalwegProcess(folder, kafka.bootstrap());
                    TopicTail rows = new TopicTail(kafka.bootstrap(), "ride-rows", "read_committed");
                    TopicTail letters = new TopicTail(kafka.bootstrap(), "rides-dead", "read_committed")) {
                Subprocess run = thalweg.start("--parallelism", "2");
                sendAll(producer, sent, true);
                send(producer, 1, GARBAGE);
                producer.flush();
                Path events = Files.write(folder.resolve("sent.bin"), Rides.framed(sent));
                List<String> expected = rows(folder.resolve("views.yaml"), events);
                rows.readUntil(() -> rows.lines().size() >= expected.size(), PATIENCE);
                rows.drain();
                letters.readUntil(() -> !letters.lines().isEmpty(), PATIENCE);
                letters.drain();

                assertThat(rows.lines())
                        .as(() -> String.join("\n", run.stderr()))
                        .containsExactlyInAnyOrderElementsOf(expected);
                JsonNode letter = JSON.readTree(letters.lines().get(0));
                assertThat(letters.lines()).hasSize(1);
                assertThat(letter.path("reason").asText()).isEqualTo("undecodable");
                assertThat(letter.path("raw").binaryValue()).isEqualTo(GARBAGE);
                assertThat(letter.path("partition").asInt()).isEqualTo(1);
            }
        }
    }

    /** A task that starts on a machine without the schema file still has the schema. */
    @Tag("soak")
    @Test
    void run_onAClusterWithoutTheSchemaFile_rowsAreThoseOfTheEvents() throws Exception {
        Path view = define(Format.AVRO.source + ", idle_after: 1h");
        Encoder encoder = Rides.encoder(Format.AVRO, folder);
        List<byte[]> sent = sent(encoder);
        List<String> expected = rows(view, Files.write(folder.resolve("sent.bin"), Rides.framed(sent)));
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                LocalCluster cluster = LocalCluster.start(Files.createDirectories(folder.resolve("cluster")));
                KafkaProducer<byte[], byte[]> producer = producer(kafka);
                TopicTail rows = new TopicTail(kafka.bootstrap(), "ride-rows", "read_committed");
                ThalwegProcess thalweg =
                        new ThalwegProcess(folder, kafka.bootstrap(), "flink: {rest: \"" + cluster.rest() + "\"}")) {
            for (String topic : List.of("rides", "rides-dead", "ride-rows")) {
                kafka.createTopic(topic, RiderFeed.PARTITIONS, Map.of());
            }
            Subprocess run = thalweg.start();
            sendAll(producer, sent.subList(0, RIDES / 2), false);
            assertThat(rows.readUntil(() -> !rows.lines().isEmpty(), PATIENCE))
                    .as(() -> String.join("\n", run.stderr()))
                    .isTrue();

            Files.delete(folder.resolve("ride.avsc"));
            cluster.killTaskManager();
            sendAll(producer, sent.subList(RIDES / 2, RIDES + 1), true);

            rows.readUntil(() -> Set.copyOf(rows.lines()).size() >= expected.size(), PATIENCE);
            assertThat(Set.copyOf(rows.lines()))
                    .as(() -> String.join("\n", run.stderr()))
                    .isEqualTo(Set.copyOf(expected));
        }
    }

    /** Returns rides, followed by one with the status TEST, which the view skips: its time ends all windows. */
    private static List<byte[]> sent(Encoder encoder) {
        List<byte[]> sent = new ArrayList<>();
        LongStream.range(FIRST, FIRST + RIDES).forEach(id -> sent.add(encoder.encode(id)));
        sent.add(encoder.encode(FIRST + 100_001));
        return sent;
    }

    /** Sends to the partitions in turn; the last one to all, so that their clocks move on. */
    private static void sendAll(KafkaProducer<byte[], byte[]> producer, List<byte[]> messages, boolean isEnd) {
        for (int i = 0; i < messages.size(); i++) {
            boolean last = isEnd && i == messages.size() - 1;
            for (int partition = 0; partition < RiderFeed.PARTITIONS; partition++) {
                if (last || partition == i % RiderFeed.PARTITIONS) {
                    send(producer, partition, messages.get(i));
                }
            }
        }
        producer.flush();
    }

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedKafka kafka) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, int partition, byte[] value) {
        var unused = producer.send(new ProducerRecord<>("rides", partition, null, value));
    }
}
