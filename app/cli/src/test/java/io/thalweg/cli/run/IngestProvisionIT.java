package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.run.Rides.Encoder;
import io.thalweg.cli.run.Rides.Format;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg ingest --provision}: what it creates is enough for the ingest to run. */
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestProvisionIT {
    private static EmbeddedKafka kafka;

    @TempDir
    Path folder;

    private IngestFolder ingest;

    @BeforeAll
    static void startBroker() {
        kafka = EmbeddedKafka.start();
    }

    @AfterAll
    static void stopBroker() {
        kafka.close();
    }

    @BeforeEach
    void writeSchemas() throws IOException {
        ingest = IngestFolder.in(folder);
    }

    private void define(String topic, String sink, String deploymentConfig) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: %s
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: %s}
                %s
                """.formatted(
                        topic, kafka.bootstrap(), folder.resolve("checkpoints"), deploymentConfig));
        Files.writeString(folder.resolve("rides.yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: rides
                source: {topic: %s, %s}
                sink: {%s, every: 1s}
                """.formatted(topic, Format.THRIFT_COMPACT.source, sink));
    }

    private String provision() {
        CommandRun run = ingest.run("--provision");
        assertThat(run.exit()).as(run.err()).isZero();
        return run.out();
    }

    private void ingestRides(String topic) throws IOException {
        Encoder encoder = Rides.encoder(Format.THRIFT_COMPACT, folder);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrap()), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long id = 0; id < 100; id++) {
                var unused = producer.send(new ProducerRecord<>(topic, encoder.encode(id)));
            }
        }
        assertThat(ingest.succeed("--once")).containsEntry("written", 100L);
    }

    @Tag("faults")
    @Test
    void provision_icebergTableOfAService_createsWhatIsMissingOnce() throws IOException {
        try (RestCatalog catalog = RestCatalog.start(folder)) {
            String service = "catalogs: {default: {rest: \"" + catalog.uri() + "\"}}";
            define("rides-lake", "iceberg: far.away.rides", service);

            assertThat(provision())
                    .contains(
                            "created topic rides-lake",
                            "created topic rides-lake-dead",
                            "created iceberg far.away.rides");
            assertThat(provision())
                    .contains("topics rides-lake and rides-lake-dead are there", "iceberg far.away.rides is there")
                    .doesNotContain("created");
            ingestRides("rides-lake");

            define("rides-none", "iceberg: far.away.rides", service);
            assertThat(ingest.run("--once").err()).contains("topic rides-none does not exist", "--provision");
        }
    }

    @Tag("test")
    @Test
    void provision_bigQuery_createsDatasetAndTable() throws IOException {
        try (BigQueryFake service = BigQueryFake.start()) {
            define(
                    "rides-big",
                    "bigquery: my-project.lake.rides",
                    "google: {endpoint: \"%s\", rest_endpoint: \"%s\"}"
                            .formatted(service.endpoint(), service.restEndpoint()));
            kafka.createTopic("rides-big", 3, Map.of());

            assertThat(ingest.run("--once").err()).contains("table my-project.lake.rides", "is missing", "--provision");
            assertThat(provision())
                    .contains("created topic rides-big-dead with 3 partitions")
                    .contains("created dataset my-project.lake", "created table my-project.lake.rides");
            assertThat(provision())
                    .contains("dataset my-project.lake is there", "table my-project.lake.rides is there")
                    .doesNotContain("created");
            ingestRides("rides-big");
        }
    }

    @Tag("test")
    @Test
    void provision_tableWithOtherColumns_isRefused() throws IOException {
        define("rides-other", "iceberg: lake.rides", "catalogs: {default: {folder: " + folder.resolve("lake") + "}}");
        assertThat(provision()).contains("created iceberg lake.rides");
        Files.writeString(
                folder.resolve("rides.yaml"),
                Files.readString(folder.resolve("rides.yaml")) + "fields: [{id: status}, {new: id}]\n");

        CommandRun run = ingest.run("--provision");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.err()).contains("column new (long) is not in the table");
    }
}
