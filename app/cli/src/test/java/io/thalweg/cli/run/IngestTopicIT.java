package io.thalweg.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.tables.iceberg.CatalogAddress;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableCommit;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code thalweg ingest} of a topic: each committed event becomes one row, whatever happens on the way. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestTopicIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int PARTITIONS = 3;
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension
    static final RidesBroker BROKER = new RidesBroker();

    @TempDir
    Path folder;

    private RidesTopic rides;
    private IngestFolder ingest;
    private String topic;
    private Target target;

    @BeforeEach
    void define() throws IOException {
        rides = BROKER.topic(folder, PARTITIONS);
        ingest = rides.ingest();
        topic = rides.name();
        rides.configure("catalogs: {default: {folder: %s}}".formatted(folder.resolve("warehouse")));
        define("", Target.PARQUET);
    }

    /** Where rows go, and what readers see there. */
    private enum Target {
        PARQUET("parquet: table") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return ParquetFolder.files(folder.resolve("table"));
            }
        },
        ICEBERG("iceberg: lake.rides") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return IcebergFolder.files(folder.resolve("warehouse/lake/rides"));
            }
        },
        /** Compacts all the time, while commits go on. */
        ICEBERG_COMPACTED("iceberg: lake.rides, compact: {every: 1s}") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return ICEBERG.files(folder);
            }

            /** Whether some of the rows are in files that are not those of their commit. */
            @Override
            boolean isReady(Path folder) throws IOException {
                return files(folder).stream()
                        .anyMatch(file -> file.getFileName().toString().startsWith("compacted-"));
            }
        };

        private final String sink;

        Target(String sink) {
            this.sink = sink;
        }

        abstract List<Path> files(Path folder) throws IOException;

        /** Whether the situation that the target tests has occurred. */
        boolean isReady(Path folder) throws IOException {
            return true;
        }
    }

    private void define(String source, Target to) throws IOException {
        target = to;
        rides.define(source, to.sink);
    }

    private List<Long> ids() throws IOException {
        List<Long> ids = ParquetFolder.longs(target.files(folder), "id");
        ids.sort(null);
        return ids;
    }

    private long rowCount() throws IOException {
        return ParquetFolder.rowCount(target.files(folder));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    private List<JsonNode> letters() throws IOException {
        List<JsonNode> letters = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", BROKER.bootstrap(), "auto.offset.reset", "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = Stream.iterate(0, p -> p + 1)
                    .limit(PARTITIONS)
                    .map(p -> new TopicPartition(topic + "-dead", p))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.getOrDefault(p, 0L))) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    letters.add(JSON.readTree(record.value()));
                }
            }
        }
        return letters;
    }

    @Tag("test")
    @ParameterizedTest
    @EnumSource(Target.class)
    void ingestOnce_twice_eachRecordIsWrittenOnce(Target to) throws IOException {
        define("", to);
        rides.send(0, 1_000);
        assertThat(ingest.succeed("--once")).containsEntry("events", 1_000L).containsEntry("written", 1_000L);

        rides.send(1_000, 1_500);
        assertThat(ingest.succeed("--once", "--parallelism", 2))
                .as("only what is new")
                .containsEntry("events", 500L)
                .containsEntry("written", 500L);
        assertThat(ingest.succeed("--once")).containsEntry("events", 0L);

        assertThat(ids()).isEqualTo(range(0, 1_500));
    }

    @Tag("test")
    @Test
    void ingestOnce_badRecordsAndTombstones_areLettersAndSkipped() throws IOException {
        rides.send(0, 30);
        rides.send(new byte[] {1, 2, 3});
        rides.send((byte[]) null);
        rides.send(30, 60);

        Map<String, Long> counts = ingest.succeed("--once");

        assertThat(counts)
                .containsEntry("records", 62L)
                .containsEntry("tombstones", 1L)
                .containsEntry("events", 61L)
                .containsEntry("bad", 1L)
                .containsEntry("written", 60L);
        assertThat(letters())
                .extracting(
                        letter -> letter.get("reason").asText(),
                        letter -> letter.get("source").asText(),
                        letter -> letter.get("partition").asInt(),
                        letter -> letter.get("offset").asLong())
                .containsExactlyInAnyOrder(tuple("wrong_type", topic, 0, 10L));
    }

    @Tag("test")
    @Test
    void ingestOnce_transactions_onlyCommittedRecordsAreWritten() throws IOException {
        try (KafkaProducer<byte[], byte[]> transactional = new KafkaProducer<>(
                Map.of("bootstrap.servers", BROKER.bootstrap(), "transactional.id", topic),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            transactional.initTransactions();
            transactional.beginTransaction();
            rides.send(transactional, 0, 50);
            transactional.commitTransaction();
            transactional.beginTransaction();
            rides.send(transactional, 50, 90);
            transactional.abortTransaction();
        }

        assertThat(ingest.succeed("--once")).containsEntry("events", 50L);
        assertThat(ids()).isEqualTo(range(0, 50));
    }

    @Tag("test")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void ingestFiles_intoATable_theLastRowsAreCommittedToo(int parallelism) throws IOException {
        define("", Target.ICEBERG);
        for (int file = 0; file < 3; file++) {
            Files.write(
                    folder.resolve(file + ".bin"),
                    Rides.framed(LongStream.range(file * 100L, file * 100L + 100)
                            .mapToObj(rides.encoder()::encode)
                            .toList()));
        }

        assertThat(ingest.succeed("--input", folder.resolve("*.bin"), "--parallelism", parallelism))
                .containsEntry("events", 300L)
                .containsEntry("written", 300L);

        assertThat(ids()).isEqualTo(range(0, 300));
    }

    @Tag("faults")
    @Test
    void ingest_moreBadThanMaxBadAllows_endsForGoodAndKeepsTheLetters() throws IOException {
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")) + "max_bad: {share: 10%, of_at_least: 20}\n");
        rides.send(0, 30);
        for (int i = 0; i < 30; i++) {
            rides.send(new byte[] {1, 2, 3});
        }

        CommandRun run = ingest.run();

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains("messages within 1m were bad, more than max_bad.share 10% allows; most often wrong_type");
        assertThat(letters()).isNotEmpty();
    }

    @Tag("test")
    @Test
    void generate_toTheTopic_isIngestedWithItsDamage() throws IOException {
        String[] generate = {
            "generate",
            folder.resolve("rides.yaml").toString(),
            "--config",
            folder.resolve("thalweg.yaml").toString(),
            "--to",
            "topic",
            "--count",
            "1000",
            "--corrupt",
            "5%",
            "--quiet"
        };
        CommandRun made = CommandRun.of((Object[]) generate);
        assertThat(made.exit()).as(made.err()).isZero();
        assertThat(made.err()).contains("rides: messages=1000 ");

        Map<String, Long> counts = ingest.succeed("--once");

        assertThat(counts).containsEntry("events", 1_000L);
        assertThat(counts.get("bad")).isBetween(10L, 120L).isEqualTo(letters().size());
    }

    /** Records in all compressions in turn, one of an unknown codec, and one that is too large at first and is replayed. */
    @Tag("test")
    @Test
    void ingestOnce_recordsThatNameTheirCodecs_areOpenedByThem() throws IOException {
        define(", envelope: {compression: {header: codec}, messages: thrift_list}", Target.PARQUET);
        CommandRun made = command("generate", "--to", "topic", "--count", "1200", "--size", "100..300");
        assertThat(made.exit()).as(made.err()).isZero();
        send("brotli", new byte[] {1, 2, 3});
        send("gzip", Rides.compress("gzip", new byte[] {0x0C}));
        send("Zstd", Rides.compress("zstd", list(rides.encoder().encode(1), 2 << 20)));

        Map<String, Long> counts = ingest.succeed("--once");

        assertThat(counts).containsEntry("written", 1_200L).containsEntry("bad", 2L);
        assertThat(letters())
                .extracting(
                        letter -> letter.get("stage").asText(),
                        letter -> letter.get("reason").asText(),
                        letter -> letter.get("codec").asText())
                .containsExactlyInAnyOrder(
                        tuple("envelope", "unknown_codec", "brotli"), tuple("envelope", "inflated_too_large", "Zstd"));

        define(
                ", envelope: {compression: {header: codec}, messages: thrift_list}, limits: {message: 10MiB, inflated: 64MiB, ratio: 100000}",
                Target.PARQUET);
        CommandRun replayed = command("replay");
        assertThat(replayed.exit()).as(replayed.err()).isZero();
        assertThat(replayed.err()).contains("kept=1 ").contains("written=1 ");
        assertThat(ids()).hasSize(1_201);
    }

    private CommandRun command(String name, Object... options) {
        Object[] start = {name, folder.resolve("rides.yaml"), "--config", folder.resolve("thalweg.yaml"), "--quiet"};
        return CommandRun.of(Stream.concat(Stream.of(start), Stream.of(options)).toArray());
    }

    private void send(String codec, byte[] value) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, null, value);
        var unused = record.headers().add("codec", codec.getBytes(UTF_8));
        var unusedToo = BROKER.producer().send(record);
        BROKER.producer().flush();
    }

    /** A list of a ride that has a field of zeros in front of its end, which its schema does not have. */
    private static byte[] list(byte[] ride, int zeros) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        list.write(0x1C);
        list.write(ride, 0, ride.length - 1);
        list.writeBytes(new byte[] {0x08, (byte) 0xC8, 0x01});
        for (int left = zeros; ; left >>>= 7) {
            list.write(left >= 0x80 ? (left & 0x7F) | 0x80 : left);
            if (left < 0x80) {
                break;
            }
        }
        list.writeBytes(new byte[zeros]);
        list.write(0);
        return list.toByteArray();
    }

    @Tag("test")
    @Test
    void ingestOnce_emptyTopic_ends() throws IOException {
        assertThat(ingest.succeed("--once")).containsEntry("events", 0L).containsEntry("written", 0L);
    }

    @Tag("faults")
    @ParameterizedTest
    @EnumSource(Target.class)
    void ingest_killedThreeTimesAndRescaled_eachRecordIsWrittenOnce(Target to) throws Exception {
        define("", to);
        long sent = 0;
        for (int kill = 0; kill < 3; kill++) {
            long before = rowCount();
            try (Subprocess process = ingest.start("--parallelism", 1 + kill)) {
                while (rowCount() <= before + 1_000L * kill || !to.isReady(folder)) {
                    assertThat(process.isAlive())
                            .as(process.stderr().toString())
                            .isTrue();
                    if (sent
                            < rowCount()
                                    + 5_000) { // a slow machine does not get more of them, a fast one enough to compact
                        rides.send(sent, sent + 100);
                        sent += 100;
                    }
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                process.signal(Subprocess.Signal.KILL);
                process.awaitExit(PATIENCE);
            }
            List<Long> ids = ids();
            assertThat(new HashSet<>(ids)).as("what readers see between runs").hasSameSizeAs(ids);
        }

        Map<String, Long> counts = ingest.succeed("--once", "--parallelism", 2);

        assertThat(counts.get("events")).isBetween(0L, sent);
        assertThat(ids()).isEqualTo(range(0, sent));
    }

    /** As a topic with a message an hour: two partitions are idle, two tasks have none, and most checkpoints have no rows. */
    @Tag("faults")
    @Test
    void ingest_messageNowAndThenInOnePartition_appearsAtOnceAndNothingElseIsCommitted() throws Exception {
        define("", Target.ICEBERG);
        try (Subprocess process = ingest.start("--parallelism", PARTITIONS + 2)) {
            for (long id = 0; id < 3; id++) {
                rides.send(rides.encoder().encode(id));
                long rows = id + 1;
                Await.until(() -> process.stderr().toString(), () -> {
                    assertThat(process.isAlive())
                            .as(process.stderr().toString())
                            .isTrue();
                    return rowCount() == rows;
                });
                long seen = newestCheckpoint();
                Await.until("checkpoints without rows", () -> newestCheckpoint() >= seen + 3);
            }
            process.signal(Subprocess.Signal.TERM);
            assertThat(process.awaitExit(PATIENCE))
                    .as(process.stderr().toString())
                    .isZero();
        }

        assertThat(ids()).isEqualTo(range(0, 3));
        assertThat(IcebergFolder.table(IcebergFolder.newest(folder.resolve("warehouse/lake/rides")))
                        .snapshots())
                .as("one for each message")
                .hasSize(3);
    }

    private long newestCheckpoint() throws IOException {
        return ingest.checkpoints().stream()
                .map(path -> path.getFileName().toString())
                .filter(name -> name.startsWith("chk-"))
                .mapToLong(name -> Long.parseLong(name.substring("chk-".length())))
                .max()
                .orElse(0);
    }

    @Tag("faults")
    @Test
    void ingest_interrupted_exits0WithItsAccountAndIsGoneOnWith() throws Exception {
        rides.send(0, 500);
        rides.send((byte[]) null);
        int port = FreePorts.next();
        try (Subprocess process = ingest.start("--port", port)) {
            while (rowCount() < 500 || !HttpOne.get(port, "/metrics").contains("outcome=\"written\"} 500")) {
                assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(HttpOne.get(port, "/metrics"))
                    .contains("thalweg_ingest_events_total{ingest=\"rides\",outcome=\"kept\"} 500")
                    .contains("thalweg_ingest_events_total{ingest=\"rides\",outcome=\"written\"} 500")
                    .contains("thalweg_ingest_lost_records_total{ingest=\"rides\"} 0")
                    .containsPattern("thalweg_ingest_append_seconds_count\\{ingest=\"rides\"} [1-9]")
                    .containsPattern("thalweg_ingest_latency_seconds_count\\{ingest=\"rides\"} [1-9]")
                    .containsPattern(
                            "thalweg_ingest_stage_seconds_total\\{ingest=\"rides\",stage=\"translate\"} .*[1-9]")
                    .contains("thalweg_ingest_bad_events_total{ingest=\"rides\",reason=\"empty\"} 0")
                    .contains("thalweg_ingest_tombstones_total{ingest=\"rides\"} 1")
                    .contains("thalweg_ingest_lag_records{ingest=\"rides\"}")
                    .contains("thalweg_job_state{state=\"running\"} 1");
            assertThat(HttpOne.get(port, "/readyz")).startsWith("{\"status\":\"OK\"");
            rides.send(500, 700);
            process.signal(Subprocess.Signal.TERM);
            assertThat(process.awaitExit(PATIENCE))
                    .as(process.stderr().toString())
                    .isZero();
            assertThat(IngestFolder.counts(process.stderr()).get("events")).isBetween(500L, 700L);
        }

        ingest.succeed("--once");

        assertThat(ids()).isEqualTo(range(0, 700));
    }

    @Tag("faults")
    @Test
    void ingest_olderSavepointThanTheTable_isRefused() throws Exception {
        define("", Target.ICEBERG);
        rides.send(0, 100);
        ingest.succeed("--once");
        Path older = savepoints().get(0);
        rides.send(100, 200);
        ingest.succeed("--once");
        Path newest = savepoints().stream()
                .filter(savepoint -> !savepoint.equals(older))
                .findFirst()
                .orElseThrow();

        CommandRun run = ingest.run("--once", "--resume", older);

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains("table lake.rides has rows that were written after checkpoint")
                .contains("roll the table back to snapshot");
        assertThat(ids()).isEqualTo(range(0, 200));
        assertThat(ingest.succeed("--once", "--resume", newest)).containsEntry("events", 0L);
    }

    /** As after days: another writer has committed, and a maintenance job has expired all snapshots of this one. */
    @Tag("faults")
    @Test
    void ingestOnce_stoppedUntilItsSnapshotsExpired_continuesExactlyThere() throws Exception {
        define("", Target.ICEBERG);
        rides.send(0, 100);
        ingest.succeed("--once");
        IngestPlan plan = IngestPlan.of(Definitions.load(List.of(folder.resolve("rides.yaml")))
                .ingests()
                .get(0));
        CatalogAddress catalog =
                new CatalogAddress.Folder(folder.resolve("warehouse").toString());
        try (IcebergTableWriter other =
                IcebergTableWriter.open(new TableAddress(catalog, "lake.rides"), plan.layout())) {
            var unused = other.commit(new TableCommit("other", "other", "other", "other-1", 1, List.of()));
            other.expire(Instant.now().plusSeconds(60), 1);
            assertThat(other.snapshots()).isEqualTo(1);
        }
        rides.send(100, 200);

        assertThat(ingest.succeed("--once")).containsEntry("events", 100L).containsEntry("written", 100L);

        assertThat(ids()).isEqualTo(range(0, 200));
    }

    private List<Path> savepoints() throws IOException {
        return ingest.checkpoints().stream()
                .filter(path -> path.getFileName().toString().startsWith("savepoint"))
                .toList();
    }

    @Tag("test")
    @Test
    void ingest_tableOfOtherColumns_saysWhichBeforeItStarts() throws Exception {
        define(", start: latest", Target.ICEBERG);
        ingest.succeed("--once");
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")) + "fields: [{id: status}, {new: id}]\n");

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains("column id is long in the table, but string is written")
                .contains("column new (long) is not in the table")
                .contains("column status is required in the table, but is not written");
    }

    @Tag("test")
    @Test
    void ingest_moreFieldsThanTheTableHas_areAddedIfTheDefinitionSaysSo() throws Exception {
        define("", Target.ICEBERG);
        String definition = Files.readString(folder.resolve("rides.yaml"));
        Files.writeString(folder.resolve("rides.yaml"), definition + "fields: [id]\n");
        rides.send(0, 100);
        ingest.succeed("--once");
        rides.send(100, 200);
        Files.writeString(folder.resolve("rides.yaml"), definition);
        assertThat(ingest.run("--once").err())
                .contains("column status (string) is not in the table")
                .contains("sink.schema_change: add_columns");

        Files.writeString(
                folder.resolve("rides.yaml"),
                definition.replace("lake.rides", "lake.rides, schema_change: add_columns"));
        assertThat(ingest.succeed("--once")).containsEntry("events", 100L).containsEntry("written", 100L);

        assertThat(ids()).isEqualTo(range(0, 200));
    }

    @Tag("soak")
    @Test
    void ingest_refusedCheckpoint_latestIsStillTheNewestOne() throws Exception {
        define("", Target.ICEBERG);
        rides.send(0, 100);
        ingest.succeed("--once");
        Path older = savepoints().get(0);
        rides.send(100, 200);
        ingest.succeed("--once");
        assertThat(ingest.run("--once", "--resume", older).exit()).isEqualTo(1);

        assertThat(ingest.succeed("--once")).containsEntry("events", 0L);
    }

    @Tag("test")
    @Test
    void ingest_resumeNoneIntoItsOwnTable_appendsAllOnceMore() throws IOException {
        define("", Target.ICEBERG);
        rides.send(0, 100);
        ingest.succeed("--once");

        assertThat(ingest.succeed("--once", "--resume", "none")).containsEntry("written", 100L);

        assertThat(ids()).hasSize(200).hasSameElementsAs(range(0, 100));
    }

    @Tag("faults")
    @Test
    void ingest_recordsDeletedBeforeTheyAreRead_failsForGoodOrCountsThem() throws Exception {
        rides.send(0, 300);
        ingest.succeed("--once");
        rides.send(300, 600);
        // Every partition loses records: a checkpoint before the failure would commit the rows of an intact one.
        long[] firstKept = {150, 120, 110};
        for (int partition = 0; partition < PARTITIONS; partition++) {
            deleteBefore(partition, firstKept[partition]);
        }

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).as(run.err()).isEqualTo(1);
        assertThat(run.err())
                .contains("cannot be read on from offset 100: Kafka deleted its records up to offset 1")
                .contains("Set source.on_lost_records: skip to continue there");
        assertThat(ids()).isEqualTo(range(0, 300));

        define(", on_lost_records: skip", Target.PARQUET);
        assertThat(ingest.succeed("--once"))
                .containsEntry("events", 220L)
                .containsEntry("written", 220L)
                .containsEntry("lost", 80L);
        assertThat(ingest.succeed("--once")).containsEntry("events", 0L).doesNotContainKey("lost");
        assertThat(ids())
                .isEqualTo(LongStream.range(0, 600)
                        .filter(id -> id < 300 || id / 3 >= firstKept[(int) (id % 3)])
                        .boxed()
                        .toList());
    }

    /** Deletes records as retention does. */
    private void deleteBefore(int partition, long offset) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", BROKER.bootstrap()))) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)))
                    .all()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Tag("soak")
    @Test
    void ingest_functionHangsOnce_theRestartNamesTheOffsetAndEachRowIsThereOnce() throws Exception {
        define("", Target.PARQUET);
        Path spec = folder.resolve("rides.yaml");
        Files.writeString(
                spec,
                Files.readString(spec).replace(Format.THRIFT_COMPACT.source, Format.JSON.source)
                        + ingest.misbehaving("1s"));
        for (long id = 0; id < 300; id++) {
            String ride = "{\"id\": %d, \"status\": \"%s\"}".formatted(id, id == 202 ? "HANGS_ONCE" : "DONE");
            var unused = BROKER.producer()
                    .send(new ProducerRecord<>(topic, (int) (id % PARTITIONS), null, ride.getBytes(UTF_8)));
        }
        BROKER.producer().flush();

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.err())
                .contains("restart 1 of ingest: rides: function " + Misbehaving.class.getName()
                        + " has not returned within 1s (transform.timeout) for message 0 of the record at offset 67 of partition 1 of "
                        + topic);
        assertThat(IngestFolder.counts(run.err().lines().toList())).containsEntry("written", 300L);
        assertThat(ids()).isEqualTo(range(0, 300));
    }

    @Tag("test")
    @Test
    void ingest_startLatest_beginsWithWhatComesLater() throws IOException {
        define(", start: latest", Target.PARQUET);
        rides.send(0, 100);
        assertThat(ingest.succeed("--once")).containsEntry("events", 0L);
    }

    @Tag("test")
    @Test
    void ingest_topicMissing_saysSoAndLeavesNothingBehind() throws IOException {
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")).replace("topic: " + topic, "topic: nowhere"));

        CommandRun run = ingest.run("--once");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err())
                .contains("topic nowhere does not exist at " + BROKER.bootstrap())
                .contains("--input");
        assertThat(ingest.run("--resume", folder.resolve("none")).exit()).isEqualTo(1);
        assertThat(ingest.table()).doesNotExist();
    }
}
