package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.DynamicMessage;
import com.google.pubsub.v1.PubsubMessage;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.devkit.google.PubSubFake;
import io.thalweg.google.bigquery.BigQueryColumns;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.records.row.RowFunction;
import io.thalweg.testing.Await;
import io.thalweg.testing.Jars;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code thalweg ingest} on a real cluster whose processes are killed: each event of a topic and each message of a subscription
 * becomes one row in each kind of table.
 */
@Tag("soak")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestClusterIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PARTITIONS = 3;
    private static final int SLOTS = 8;
    private static final String BIG_TABLE = "my-project.lake.rides";
    private static final String PUBSUB_TOPIC = "projects/my-project/topics/rides";
    private static final String SUBSCRIPTION = "projects/my-project/subscriptions/rides-lake";

    @TempDir
    Path folder;

    private EmbeddedKafka kafka;
    private TopicTail rowsOfTheTopic;
    private KafkaProducer<byte[], byte[]> producer;
    private BigQueryFake service;
    private PubSubFake pubSub;
    private LocalCluster cluster;
    private Encoder encoder;
    private final List<Subprocess> processes = new ArrayList<>();
    /** The number of rows of each file; a file does not change once it is visible. */
    private final Map<Path, Long> rowsOfFiles = new HashMap<>();

    private long sent;
    private long sentBad;

    /** A kind of table, and the definition that writes to it. */
    private enum Target {
        TOPIC("topic: rides-out, format: json, delivery: exactly_once, origin: true", "") {
            @Override
            long rowCount(IngestClusterIT test) throws IOException {
                return test.rowCountOfTheTopic();
            }

            @Override
            List<Long> ids(IngestClusterIT test) throws IOException {
                return test.idsOfTheTopic();
            }
        },
        /** Through a function whose jar is deleted before tasks restart. */
        PARQUET("parquet: table", "transform: {class: Same, jars: [same.jar]}") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return ParquetFolder.files(folder.resolve("table"));
            }
        },
        ICEBERG("iceberg: lake.rides", "") {
            @Override
            List<Path> files(Path folder) throws IOException {
                return IcebergFolder.files(folder.resolve("warehouse/lake/rides"));
            }
        },
        BIGQUERY("bigquery: " + BIG_TABLE + ", delivery: exactly_once", "") {
            @Override
            long rowCount(IngestClusterIT test) {
                return test.service.rowCount(BIG_TABLE);
            }

            @Override
            List<Long> ids(IngestClusterIT test) {
                List<Long> ids = new ArrayList<>();
                for (DynamicMessage row : test.service.rows(BIG_TABLE)) {
                    ids.add((Long) row.getField(row.getDescriptorForType().findFieldByName("id")));
                }
                return ids;
            }
        },
        /** The same rides as messages of a subscription, which delivers some of them more than once. */
        OF_PUBSUB("parquet: of_pubsub", "") {
            @Override
            String ingest() {
                return "from_pubsub";
            }

            @Override
            String source() {
                return "pubsub: %s, dedup: 1h, streams: 4".formatted(SUBSCRIPTION);
            }

            @Override
            List<Path> files(Path folder) throws IOException {
                return ParquetFolder.files(folder.resolve("of_pubsub"));
            }
        };

        private final String sink;
        private final String more;

        Target(String sink, String more) {
            this.sink = sink;
            this.more = more;
        }

        /** The files of the table, if it is made of files. */
        List<Path> files(Path folder) throws IOException {
            return List.of();
        }

        long rowCount(IngestClusterIT test) throws IOException {
            return test.rowCount(files(test.folder));
        }

        List<Long> ids(IngestClusterIT test) throws IOException {
            return ParquetFolder.longs(files(test.folder), "id");
        }

        String source() {
            return "topic: rides";
        }

        String ingest() {
            return "to_" + name().toLowerCase(Locale.ROOT);
        }

        Path file(Path folder) {
            return folder.resolve(ingest() + ".yaml");
        }
    }

    /** Counts rows. Reads only new files, because reading all of them takes a second at the end. */
    private long rowCount(List<Path> files) throws IOException {
        long rows = 0;
        for (Path file : files) {
            Long known = rowsOfFiles.get(file);
            if (known == null) {
                known = ParquetFolder.rowCount(List.of(file));
                rowsOfFiles.put(file, known);
            }
            rows += known;
        }
        return rows;
    }

    private long rowCountOfTheTopic() {
        rowsOfTheTopic.drain();
        return rowsOfTheTopic.lines().size();
    }

    /** Requires that each partition contains the messages of one source partition, once each and in order. */
    private List<Long> idsOfTheTopic() throws IOException {
        List<Long> ids = new ArrayList<>();
        for (var records : CommittedRecords.of(kafka.bootstrap(), "rides-out").values()) {
            long before = -1;
            for (ConsumerRecord<byte[], byte[]> record : records) {
                JsonNode message = JSON.readTree(record.value());
                JsonNode origin = message.get("_origin");
                assertThat(origin.get("partition").asInt()).isEqualTo(record.partition());
                assertThat(origin.get("offset").asLong()).isGreaterThan(before);
                before = origin.get("offset").asLong();
                ids.add(message.get("id").asLong());
            }
        }
        return ids;
    }

    @BeforeEach
    void start() throws IOException {
        kafka = EmbeddedKafka.start();
        kafka.createTopic("rides", PARTITIONS, Map.of());
        kafka.createTopic("rides-out", PARTITIONS, Map.of());
        rowsOfTheTopic = new TopicTail(kafka.bootstrap(), "rides-out", "read_committed");
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
        service = BigQueryFake.start();
        pubSub = PubSubFake.start();
        pubSub.create(PUBSUB_TOPIC, SUBSCRIPTION);
        pubSub.faults().duplicateEvery(7);
        cluster = LocalCluster.start(Files.createDirectories(folder.resolve("cluster")), SLOTS);
        Rides.writeSchemas(folder);
        encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        compileFunction();
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints}
                catalogs: {default: {folder: warehouse}}
                google: {endpoint: "%s", pubsub_endpoint: "%s"}
                flink: {rest: "%s"}
                """.formatted(
                        kafka.bootstrap(), service.endpoint(), pubSub.endpoint(), cluster.rest()));
        for (Target target : Target.values()) {
            Files.writeString(target.file(folder), """
                    apiVersion: thalweg/v1
                    kind: Ingest
                    name: %s
                    source: {%s, %s}
                    sink: {%s, every: 1s}
                    %s
                    """.formatted(
                            target.ingest(), target.source(), Format.THRIFT_COMPACT.source, target.sink, target.more));
        }
        IngestPlan plan = IngestPlan.of(Definitions.load(List.of(Target.BIGQUERY.file(folder)))
                .ingests()
                .get(0));
        service.createTable(BIG_TABLE, BigQueryColumns.of(plan.table()), true);
    }

    private void compileFunction() throws IOException {
        Path sources = Files.createDirectories(folder.resolve("src"));
        Files.writeString(sources.resolve("Same.java"), """
                import io.thalweg.records.row.*;
                public class Same implements RowFunction {
                    public void apply(Row event, Output out) { out.emit(event); }
                }
                """);
        Jars.compile(sources, folder.resolve("same.jar"), Jars.of(RowFunction.class));
    }

    @AfterEach
    void stop() {
        processes.forEach(Subprocess::close);
        cluster.close();
        producer.close();
        rowsOfTheTopic.close();
        service.close();
        pubSub.close();
        kafka.close();
    }

    /** Sends rides, and a record that is not one; also as messages. */
    private void send(int records) {
        byte[] bad = {1, 2, 3};
        sentBad++;
        for (int i = 0; i < records; i++, sent++) {
            byte[] ride = encoder.encode(sent);
            var unused = producer.send(new ProducerRecord<>("rides", (int) (sent % PARTITIONS), null, ride));
            publish(ride);
        }
        var unused = producer.send(new ProducerRecord<>("rides", 0, null, bad));
        publish(bad);
        producer.flush();
    }

    private void publish(byte[] data) {
        String unused = pubSub.publish(
                PUBSUB_TOPIC,
                PubsubMessage.newBuilder().setData(ByteString.copyFrom(data)).build());
    }

    /** The leases of the process that was killed end at once, and so do all others. */
    private void killTaskManager() throws Exception {
        cluster.killTaskManager();
        pubSub.endLeases(SUBSCRIPTION);
    }

    /** A process that follows an ingest. */
    private record Started(Target target, Subprocess process) {}

    /** Starts an ingest for each kind of table. */
    private List<Started> startAll(Object... options) {
        List<Started> started = new ArrayList<>();
        for (Target target : Target.values()) {
            List<Object> command = new ArrayList<>(List.of("ingest", target.file(folder), "--config", "thalweg.yaml"));
            command.addAll(List.of(options));
            Subprocess process = Launched.start(folder, command.toArray());
            processes.add(process);
            started.add(new Started(target, process));
        }
        return started;
    }

    /** Sends until each table has rows that were sent after the call. */
    private void awaitMoreRows(List<Started> ingests) throws Exception {
        long before = sent;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (Started ingest : ingests) {
            while (ingest.target().rowCount(this) <= before + 100) {
                assertThat(ingest.process().isAlive() && System.nanoTime() < deadline)
                        .as(() -> ingest.target() + ": "
                                + String.join("\n", ingest.process().stderr()))
                        .isTrue();
                send(20);
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private void move(Path from, Path to) throws IOException {
        for (String name : List.of("ride.thrift", "same.jar")) {
            Files.move(from.resolve(name), to.resolve(name));
        }
    }

    @Test
    void ingest_taskManagersKilledAndJobsRescaled_eachRecordIsWrittenOnce() throws Exception {
        List<Started> first = startAll("--parallelism", 2);
        awaitMoreRows(first);
        Path away = Files.createDirectories(folder.resolve("away"));
        move(folder, away);
        killTaskManager();
        awaitMoreRows(first);
        move(away, folder);

        List<Started> second = startAll("--parallelism", 3, "--replace");
        List<Account> before = new ArrayList<>();
        first.forEach(ingest -> before.add(account(ingest.process())));
        awaitMoreRows(second);
        killTaskManager();
        awaitMoreRows(second);
        awaitAll();

        for (int i = 0; i < second.size(); i++) {
            Target target = second.get(i).target();
            try (Subprocess stop =
                    Launched.start(folder, "stop", "ingest", target.file(folder), "--config", "thalweg.yaml")) {
                Account last = account(stop);
                assertThat(account(second.get(i).process()))
                        .as("both processes report the same")
                        .isEqualTo(last);
                assertThat(before.get(i).plus(last))
                        .as(target.name())
                        .isEqualTo(new Account(sent + sentBad, sentBad, sent));
            }
            assertIds(target);
        }
        assertLettersOfMessages();
    }

    /** The second run resumes from the savepoint of the first, which records that the subscription was quiet. */
    @Test
    void ingestOnce_subscription_endsWhenNothingIsDelivered() throws Exception {
        for (int run = 0; run < 2; run++) {
            long before = sent;
            send(500);
            try (Subprocess once = Launched.start(
                    folder,
                    "ingest",
                    Target.OF_PUBSUB.file(folder),
                    "--config",
                    "thalweg.yaml",
                    "--once",
                    "--idle",
                    "3s",
                    "--parallelism",
                    2)) {
                assertThat(account(once)).isEqualTo(new Account(sent - before + 1, 1, sent - before));
            }
            assertThat(pubSub.acknowledged(SUBSCRIPTION)).isEqualTo((int) (sent + sentBad));
        }
        assertIds(Target.OF_PUBSUB);
    }

    /** Each subtask has a file of its own; after a failure, a letter may be there twice. */
    private void assertLettersOfMessages() throws IOException {
        Set<String> bad = new HashSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(
                            each -> each.getFileName().toString().matches("from_pubsub\\.dead-\\d\\.jsonl"))
                    .toList()) {
                for (String line : Files.readAllLines(file)) {
                    bad.add(JSON.readTree(line).path("message_id").asText());
                }
            }
        }
        assertThat(bad).hasSize((int) sentBad);
    }

    private void awaitAll() throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (Target target : Target.values()) {
            while (target.rowCount(this) < sent) {
                assertThat(System.nanoTime()).as(target.name()).isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        while (pubSub.acknowledged(SUBSCRIPTION) < sent + sentBad) {
            assertThat(System.nanoTime()).as("acknowledgements").isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private void assertIds(Target target) throws IOException {
        List<Long> ids = target.ids(this);
        ids.sort(null);
        assertThat(ids)
                .as(target.name())
                .isEqualTo(LongStream.range(0, sent).boxed().toList());
    }

    /** What a process reports at its end. */
    private record Account(long events, long bad, long written) {
        Account plus(Account other) {
            return new Account(events + other.events, bad + other.bad, written + other.written);
        }
    }

    private static Account account(Subprocess process) {
        assertThat(process.awaitExit(PATIENCE))
                .as(() -> String.join("\n", process.stderr()))
                .isZero();
        Map<String, Long> counts = IngestFolder.counts(process.stderr());
        return new Account(
                counts.getOrDefault("events", -1L),
                counts.getOrDefault("bad", -1L),
                counts.getOrDefault("written", -1L));
    }
}
