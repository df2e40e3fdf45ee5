package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DynamicMessage;
import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.google.bigquery.BigQueryColumns;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.testing.Await;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.iceberg.Snapshot;
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
 * A service that {@code thalweg ingest} depends on is unavailable for a while. Ingest uses little memory while it waits, resumes
 * automatically, and writes each record once. {@code -Dthalweg.outage.seconds=120} makes the outages as long as the reference
 * promises.
 */
@Tag("faults")
@Timeout(1_200)
@SuppressWarnings("NullAway.Init")
class IngestOutageIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("thalweg.outage.seconds", 3));
    private static final long MOST_GROWTH = 64L << 20;
    private static final String TABLE = "my-project.lake.rides";
    private static final int PARTITIONS = 2;

    @TempDir
    Path folder;

    private EmbeddedKafka kafka;
    private KafkaProducer<byte[], byte[]> producer;
    private IngestFolder ingest;
    private Encoder encoder;
    private int port;
    private long sent;

    @BeforeEach
    void startBroker() throws IOException {
        kafka = EmbeddedKafka.start(folder.resolve("kafka"), 0);
        kafka.createTopic("rides", PARTITIONS, Map.of());
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer());
        ingest = IngestFolder.in(folder);
        encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        port = FreePorts.next();
    }

    @AfterEach
    void stopBroker() {
        producer.close();
        kafka.close();
    }

    private void define(String sink, String config) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: %s}
                %s
                """.formatted(
                        kafka.bootstrap(), folder.resolve("checkpoints"), config));
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: rides, %s}
                sink: {%s, every: 1s}
                """.formatted(Format.THRIFT_COMPACT.source, sink));
    }

    private void send(int more) {
        for (long end = sent + more; sent < end; sent++) {
            var unused =
                    producer.send(new ProducerRecord<>("rides", (int) (sent % PARTITIONS), null, encoder.encode(sent)));
        }
        producer.flush();
    }

    /** Records keep arriving for as long as an outage lasts. */
    private void sendThroughout(Subprocess process) throws InterruptedException {
        long end = System.nanoTime() + OUTAGE.toNanos();
        while (System.nanoTime() < end) {
            requireAlive(process);
            send(100);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static void requireAlive(Subprocess process) {
        assertThat(process.isAlive()).as(process.stderr().toString()).isTrue();
    }

    /** A row count that may be unknown yet. */
    private interface Rows {
        long count() throws IOException;
    }

    /** Waits until everything that was sent is readable. */
    private void awaitAll(Subprocess process, Rows rows) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (rows.count() < sent) {
            requireAlive(process);
            assertThat(System.nanoTime()).as(process.stderr().toString()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Bytes of the live objects of a process, after a full collection. */
    private static long liveBytes(Subprocess process) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try (Subprocess histogram =
                Subprocess.start(jcmd.toString(), String.valueOf(process.pid()), "GC.class_histogram")) {
            assertThat(histogram.awaitExit(PATIENCE)).isZero();
            String total = histogram.stdout().stream()
                    .filter(line -> line.startsWith("Total"))
                    .findAny()
                    .orElseThrow();
            return Long.parseLong(total.trim().split("\\s+")[2]);
        }
    }

    private static void requireNoGrowth(String what, Subprocess process, long before) {
        long now = liveBytes(process);
        System.out.printf("%s for %d s: %,d bytes in memory before, %,d now%n", what, OUTAGE.toSeconds(), before, now);
        assertThat(now - before).as(what).isLessThan(MOST_GROWTH);
    }

    private long restarts() throws IOException, InterruptedException {
        return (long) metrics().value("thalweg_job_restarts_total");
    }

    /** Records that have been read and translated. */
    private long kept() throws IOException, InterruptedException {
        return (long) metrics().value("thalweg_ingest_events_total{ingest=\"rides\",outcome=\"kept\"}");
    }

    private Exposition metrics() throws IOException, InterruptedException {
        return Exposition.of(HttpOne.get(port, "/metrics"));
    }

    private static List<Long> range(long to) {
        return LongStream.range(0, to).boxed().toList();
    }

    private static void stop(Subprocess process) {
        process.signal(Subprocess.Signal.TERM);
        assertThat(process.awaitExit(PATIENCE)).as(process.stderr().toString()).isZero();
    }

    @Test
    void ingest_brokerAndThenCatalogAway_goesOnWithoutARestartAndWritesEachRecordOnce() throws Exception {
        try (RestCatalog catalog = RestCatalog.start(Files.createDirectory(folder.resolve("warehouse")))) {
            define("iceberg: lake.rides", "catalogs: {default: {rest: \"%s\"}}".formatted(catalog.uri()));
            Rows rows = () -> rows(catalog);
            try (Subprocess process = ingest.start("--port", port)) {
                send(1_000);
                awaitAll(process, rows);
                long before = liveBytes(process);

                int brokerPort = kafka.port();
                kafka.close();
                process.awaitLine("Kafka at 127.0.0.1:" + brokerPort + " does not answer", PATIENCE);
                TimeUnit.SECONDS.sleep(OUTAGE.toSeconds());
                requireNoGrowth("broker away", process, before);
                kafka = EmbeddedKafka.start(folder.resolve("kafka"), brokerPort);
                send(1_000);
                awaitAll(process, rows);

                catalog.setAway(true);
                sendThroughout(process);
                requireNoGrowth("catalog away", process, before);
                catalog.setAway(false);
                awaitAll(process, rows);
                assertThat(restarts()).as(process.stderr().toString()).isZero();
                stop(process);
            }
            List<Long> ids = ParquetFolder.longs(IcebergFolder.filesOf(catalog.metadata("lake", "rides")), "id");
            ids.sort(null);
            assertThat(ids).isEqualTo(range(sent));
        }
    }

    private static long rows(RestCatalog catalog) throws IOException {
        String metadata = catalog.metadata("lake", "rides");
        Snapshot newest =
                metadata.isEmpty() ? null : IcebergFolder.table(metadata).currentSnapshot();
        return newest == null ? 0 : Long.parseLong(newest.summary().get("total-records"));
    }

    @Test
    void ingest_warehouseAwayAndThenSlow_waitsInLittleMemoryAndWritesEachRecordOnce() throws Exception {
        try (BigQueryFake service = BigQueryFake.start()) {
            define(
                    "bigquery: %s, delivery: exactly_once".formatted(TABLE),
                    "google: {endpoint: \"%s\"}".formatted(service.endpoint()));
            IngestPlan plan = IngestPlan.of(Definitions.load(List.of(folder.resolve("rides.yaml")))
                    .ingests()
                    .get(0));
            service.createTable(TABLE, BigQueryColumns.of(plan.table()), true);
            Rows rows = () -> service.rowCount(TABLE);
            try (Subprocess process = ingest.start("--port", port)) {
                send(1_000);
                awaitAll(process, rows);
                long before = liveBytes(process);

                service.faults().away(true);
                sendThroughout(process);
                requireNoGrowth("warehouse away", process, before);
                service.faults().away(false);
                awaitAll(process, rows);
                System.out.printf("restarts: %d%n", restarts());

                service.faults().appendDelayMs(3_000);
                sendThroughout(process);
                long read = kept();
                System.out.printf("%,d records sent, %,d read, %,d rows visible%n", sent, read, rows.count());
                assertThat(read).as("the source waits for the sink").isLessThan(sent);
                requireNoGrowth("warehouse slow", process, before);
                service.faults().appendDelayMs(0);
                awaitAll(process, rows);
                stop(process);
            }
            List<Long> ids = new ArrayList<>();
            for (DynamicMessage row : service.rows(TABLE)) {
                ids.add((Long) row.getField(row.getDescriptorForType().findFieldByName("id")));
            }
            ids.sort(null);
            assertThat(ids).isEqualTo(range(sent));
        }
    }
}
