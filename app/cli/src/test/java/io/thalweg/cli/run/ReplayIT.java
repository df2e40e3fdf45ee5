package io.thalweg.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg replay}: a schema that was too strict is corrected, and each message ends in the table once, or in one letter. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class ReplayIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    @BeforeEach
    void define() throws IOException {
        config("");
        require("id", "city");
        source("files: none.jsonl");
    }

    private void config(String more) throws IOException {
        Files.writeString(
                folder.resolve("thalweg.yaml"),
                "deployment: %s\ncheckpoints: {dir: %s}\n%s"
                        .formatted(folder.getFileName(), folder.resolve("checkpoints"), more));
    }

    private void require(String... fields) throws IOException {
        Files.writeString(folder.resolve("ride.json"), """
                {"type": "object", "required": ["%s"], "properties": {
                  "id": {"type": "integer"}, "city": {"type": "string"}, "note": {"type": "string"}}}
                """.formatted(String.join("\", \"", fields)));
    }

    private void source(String source) throws IOException {
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {%s, format: json, schema: {file: ride.json}}
                sink: {parquet: table, every: 1s}
                dead_letters: {file: dead.jsonl}
                """.formatted(source));
    }

    private CommandRun run(String command, Object... options) {
        Object[] start = {command, folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml"), "--quiet"};
        return CommandRun.of(Stream.concat(Stream.of(start), Stream.of(options)).toArray());
    }

    private CommandRun succeed(String command, Object... options) {
        CommandRun run = run(command, options);
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }

    private static byte[] good(long id) {
        return "{\"id\": %d, \"city\": \"Bonn\"}".formatted(id).getBytes(UTF_8);
    }

    private static byte[] noCity(long id, int noteBytes) {
        return "{\"id\": %d, \"note\": \"%s\"}"
                .formatted(id, "n".repeat(noteBytes))
                .getBytes(UTF_8);
    }

    private List<Long> ids() throws IOException {
        return ParquetFolder.longs(folder.resolve("table"), "id").stream()
                .sorted()
                .toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private static List<JsonNode> letters(List<String> lines) throws IOException {
        List<JsonNode> letters = new ArrayList<>();
        for (String line : lines) {
            letters.add(JSON.readTree(line));
        }
        return letters;
    }

    /** How many letters there are by stage, reason and attempts. */
    private static Map<String, Integer> counts(List<String> lines) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        for (JsonNode letter : letters(lines)) {
            counts.merge(
                    "%s %s %d"
                            .formatted(
                                    letter.get("stage").textValue(),
                                    letter.get("reason").textValue(),
                                    letter.get("attempts").intValue()),
                    1,
                    Integer::sum);
        }
        return counts;
    }

    private List<String> lines(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name));
    }

    @Tag("test")
    @Test
    void replay_lettersInAFile_eachIsARowOnceOrIsLeft() throws IOException {
        List<String> lines = new ArrayList<>();
        for (long id = 0; id < 60; id++) {
            lines.add(new String(good(id), UTF_8));
        }
        for (long id = 60; id < 90; id++) {
            lines.add(new String(noCity(id, 3), UTF_8));
        }
        for (int i = 0; i < 10; i++) {
            lines.add("{\"id\": broken " + i);
        }
        lines.add(new String(noCity(90, 300_000), UTF_8));
        Files.write(folder.resolve("rides.jsonl"), lines);
        succeed("ingest", "--input", folder.resolve("rides.jsonl"));
        assertThat(ids()).isEqualTo(range(0, 60));
        assertThat(counts(lines("dead.jsonl")))
                .isEqualTo(Map.of("decode missing_field 1", 31, "decode undecodable 1", 10));
        // A failure may write a letter twice; another ingest may share the file.
        List<String> letters = new ArrayList<>(lines("dead.jsonl"));
        letters.add(letters.get(0));
        letters.add(letters.get(1).replace("\"rides\"", "\"others\""));
        Files.write(folder.resolve("dead.jsonl"), letters);
        require("id");

        CommandRun dry = succeed("replay", "--dry-run");
        assertThat(dry.err())
                .contains("rides: letters=43 selected=40 repeated=1 unselected=0 foreign=1 needs_its_file=0 cut_off=1")
                .contains("letters=40 events=40 filtered=0 bad=10 kept=30 rows=30, nothing written");
        assertThat(dry.out().lines()).hasSize(5);
        assertThat(ids()).isEqualTo(range(0, 60));

        CommandRun some = succeed("replay", "--reason", "missing_field", "--limit", 20);
        assertThat(some.err())
                .contains("selected=20 repeated=1 unselected=21 foreign=1 ")
                .contains("rides: records=20 events=20 filtered=0 bad=0 kept=20 rows=20 written=20 refused=0 files=1")
                .contains("rides: left=22 in " + folder.resolve("dead.again.jsonl"));
        assertThat(ids()).isEqualTo(range(0, 80));
        assertThat(lines("dead.jsonl")).as("the letters stay as they are").isEqualTo(letters);
        CommandRun twice = run("replay");
        assertThat(twice.exit()).isEqualTo(2);
        assertThat(twice.err()).contains("dead.again.jsonl exists: the letters of");

        CommandRun rest = succeed("replay", "--letters", folder.resolve("dead.again.jsonl"), "--stage", "decode");
        assertThat(rest.err()).contains("bad=10 kept=10 rows=10 written=10").contains("left=12 in ");
        assertThat(ids()).isEqualTo(range(0, 90));
        assertThat(counts(lines("dead.again.again.jsonl")))
                .isEqualTo(Map.of("decode missing_field 1", 2, "decode undecodable 2", 10));
        assertThat(succeed(
                                "replay",
                                "--letters",
                                folder.resolve("dead.again.again.jsonl"),
                                "--since",
                                "2999-01-01T00:00:00Z")
                        .err())
                .contains("unselected=11 foreign=1")
                .contains("nothing to replay");
    }

    @Tag("test")
    @Test
    void replay_ofContainers_leavesWhatNeedsItsFile() throws IOException {
        Rides.writeSchemas(folder);
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {files: none.avro, %s}
                sink: {parquet: table}
                dead_letters: {file: dead.jsonl}
                """.formatted(Rides.Format.AVRO.source));
        Rides.writeContainer(folder.resolve("rides.avro"), "null", 0, 1_000);
        byte[] file = Files.readAllBytes(folder.resolve("rides.avro"));
        Files.write(folder.resolve("rides.avro"), Arrays.copyOf(file, file.length - 10));
        succeed("ingest", "--input", folder.resolve("rides.avro"));

        assertThat(succeed("replay").err())
                .containsPattern("selected=0 repeated=0 unselected=0 foreign=0 needs_its_file=[1-9]")
                .contains("nothing to replay");
    }

    @Tag("test")
    @Test
    void replay_wrongUse_saysWhatToDo() {
        assertThat(run("replay").err()).contains("there is no file " + folder.resolve("dead.jsonl"));
        assertThat(run("replay", "--since", "yesterday").err()).contains("--since must be a time or a duration");
        assertThat(run("replay", "--limit", 0).err()).contains("--limit must be at least 1, was 0");
        assertThat(run("replay", "--resume", "x").err()).contains("--resume must be latest or none, was x");
    }

    @Tag("test")
    @Test
    void replay_lettersInATopic_areThereOnceBehindThePosition() throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrap()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            kafka.createTopic("rides", 1, Map.of());
            kafka.createTopic("rides-dead", 2, Map.of());
            config("kafka: {default: {bootstrap: \"%s\"}}\n".formatted(kafka.bootstrap()));
            source("topic: rides, envelope: {messages: length_prefixed}");
            // Each record: a good message, a large one without a city, garbage, a good one.
            for (long record = 0; record < 5; record++) {
                byte[] value = Rides.framed(List.of(
                        good(4 * record),
                        noCity(4 * record + 1, record == 0 ? 3 : 300_000),
                        "garbage".getBytes(UTF_8),
                        good(4 * record + 3)));
                var unused = producer.send(new ProducerRecord<>("rides", value));
            }
            // A frame that claims more bytes than the file has: the rest is lost.
            byte[] cut = Rides.framed(List.of(good(20), noCity(21, 3)));
            cut[good(20).length + 4] = 1;
            var unused = producer.send(new ProducerRecord<>("rides", cut));
            producer.flush();
            succeed("ingest", "--once");
            List<Long> first = ids();
            assertThat(first).hasSize(11).doesNotContain(1L, 21L);
            assertThat(counts(open(kafka)))
                    .isEqualTo(Map.of(
                            "decode missing_field 1", 5, "decode undecodable 1", 5, "envelope undecodable 1", 1));
            require("id");

            CommandRun run = succeed("replay");

            assertThat(run.err())
                    .contains(
                            "rides: letters=11 selected=11 repeated=0 unselected=0 foreign=0 needs_its_file=0 cut_off=0")
                    .contains("events=11 filtered=0 bad=6 kept=5 rows=5 written=5")
                    .contains("rides: left=6 in topic rides-dead");
            assertThat(ids()).hasSize(16).doesNotHaveDuplicates().contains(1L, 5L, 9L, 13L, 17L);
            assertThat(counts(open(kafka))).isEqualTo(Map.of("decode undecodable 2", 5, "envelope undecodable 2", 1));

            assertThat(succeed("replay", "--reason", "missing_field").err())
                    .contains("letters=6 selected=0 ")
                    .contains("nothing to replay");
            assertThat(succeed("replay", "--stage", "decode", "--limit", 2).err())
                    .contains("letters=6 selected=2 repeated=0 unselected=4")
                    .contains("bad=2 kept=0")
                    .contains("left=6");
            assertThat(counts(open(kafka)))
                    .isEqualTo(
                            Map.of("decode undecodable 2", 3, "decode undecodable 3", 2, "envelope undecodable 2", 1));
            assertThat(ids()).hasSize(16);
        }
    }

    /** The files that a replay writes one after the other; it is killed after each. */
    private static final List<String> STEPS = List.of("plan.properties", "chk-[0-9]+", "end.properties", "account");

    private void killAtEach(List<String> names) throws Exception {
        Path steps = folder.resolve("checkpoints/" + folder.getFileName() + "/replay/rides");
        for (String step : names) {
            try (Subprocess replay = Launched.start(
                    folder,
                    "replay",
                    folder.resolve("rides.yaml"),
                    "--config",
                    folder.resolve("thalweg.yaml"),
                    "--quiet")) {
                while (replay.isAlive() && !hasStep(steps, step)) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                replay.signal(Subprocess.Signal.KILL);
                replay.awaitExit(Duration.ofMinutes(2));
            }
        }
    }

    private static boolean hasStep(Path steps, String name) throws IOException {
        if (!Files.isDirectory(steps)) {
            return false;
        }
        try (Stream<Path> found = Files.find(
                steps, 5, (path, attributes) -> path.getFileName().toString().matches(name))) {
            return found.findAny().isPresent();
        } catch (UncheckedIOException e) {
            return false; // a folder has gone meanwhile
        }
    }

    /** Creates messages of which every second one stays bad. */
    private List<byte[]> halfCorrectable(long count) {
        return LongStream.range(0, count)
                .mapToObj(id -> id % 2 == 0 ? noCity(id, 3) : ("garbage " + id).getBytes(UTF_8))
                .toList();
    }

    private static List<Long> even(long to) {
        return LongStream.range(0, to).filter(id -> id % 2 == 0).boxed().toList();
    }

    @Tag("faults")
    @Test
    void replay_ofAFileKilledAtEachStep_eachLetterIsARowOnceOrOneLetter() throws Exception {
        Files.write(
                folder.resolve("rides.jsonl"),
                halfCorrectable(2_000).stream()
                        .map(message -> new String(message, UTF_8))
                        .toList());
        source("files: rides.jsonl");
        succeed("ingest");
        require("id");

        killAtEach(STEPS);
        if (!Files.exists(folder.resolve("dead.again.jsonl"))) {
            succeed("replay");
        }

        assertThat(ids()).isEqualTo(even(2_000));
        assertThat(letters(lines("dead.again.jsonl")))
                .extracting(letter -> letter.get("raw").asText())
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 2_000)
                        .filter(id -> id % 2 == 1)
                        .mapToObj(id -> "garbage " + id)
                        .toList());
    }

    @Tag("soak")
    @Test
    void replay_ofATopicKilledAtItsEnd_eachLetterIsARowOnceOrOneLetter() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrap()),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            kafka.createTopic("rides", 1, Map.of());
            kafka.createTopic("rides-dead", 2, Map.of());
            config("kafka: {default: {bootstrap: \"%s\"}}\n".formatted(kafka.bootstrap()));
            source("topic: rides");
            halfCorrectable(1_000).forEach(message -> {
                var unused = producer.send(new ProducerRecord<>("rides", message));
            });
            producer.flush();
            succeed("ingest", "--once");
            require("id");

            killAtEach(STEPS.subList(2, 4)); // the steps in which a topic differs from a file
            succeed("replay");

            assertThat(ids()).isEqualTo(even(1_000));
            assertThat(letters(open(kafka)))
                    .extracting(letter -> letter.get("raw").asText())
                    .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 1_000)
                            .filter(id -> id % 2 == 1)
                            .mapToObj(id -> "garbage " + id)
                            .toList());
        }
    }

    private Map<String, Object> client(EmbeddedKafka kafka) {
        return Map.of(
                "bootstrap.servers",
                kafka.bootstrap(),
                "group.id",
                "thalweg-" + folder.getFileName() + "-replay-rides",
                "enable.auto.commit",
                "false",
                "isolation.level",
                "read_committed");
    }

    private static Set<TopicPartition> partitions() {
        return Set.of(new TopicPartition("rides-dead", 0), new TopicPartition("rides-dead", 1));
    }

    /** Returns the letters after the positions of the group, or all if it has none. */
    private List<String> open(EmbeddedKafka kafka) {
        List<String> lines = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(client(kafka), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(partitions());
            consumer.seekToBeginning(partitions());
            consumer.committed(partitions()).forEach((partition, position) -> {
                if (position != null) {
                    consumer.seek(partition, position);
                }
            });
            Map<TopicPartition, Long> ends = CommittedRecords.ends(kafka.bootstrap(), partitions());
            while (partitions().stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> lines.add(new String(record.value(), UTF_8)));
            }
        }
        return lines;
    }
}
