package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DynamicMessage;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.devkit.google.BigQueryFake;
import io.thalweg.google.bigquery.BigQueryColumns;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of the guides to {@code ingest} as written. */
@Timeout(Await.TIMEOUT_SECONDS)
final class IngestGuidesIT {
    private static final Path ROOT = Checkout.ROOT;
    private static final Pattern COMMAND = Pattern.compile("(?m)^\\$ \\./thalweg (.+)$");
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int PARTITIONS = 4;

    @TempDir
    private Path folder = Path.of("");

    /** Runs the commands of a guide, which must succeed, and returns the last line that each leaves on stderr. */
    private List<String> run(String guide, Map<String, String> environment, int commands) throws Exception {
        List<String> found = COMMAND.matcher(
                        Files.readString(ROOT.resolve("docs/guides").resolve(guide)))
                .results()
                .map(command -> command.group(1))
                .toList();
        assertThat(found).hasSize(commands);
        List<String> last = new ArrayList<>();
        for (String command : found) {
            try (Subprocess process = Launched.start(folder, environment, (Object[]) command.split(" ", -1))) {
                assertThat(process.awaitExit(PATIENCE))
                        .as(command + process.stderr())
                        .isZero();
                List<String> lines = process.stderr();
                last.add(lines.get(lines.size() - 1));
            }
        }
        return last;
    }

    private void copy(String... examples) throws IOException {
        Files.createDirectories(folder.resolve("examples"));
        for (String example : examples) {
            Files.copy(
                    ROOT.resolve("examples").resolve(example),
                    folder.resolve("examples").resolve(example));
        }
    }

    private static int written(String account) {
        return Integer.parseInt(account.replaceFirst(".* written=(\\d+) .*", "$1"));
    }

    @Tag("faults")
    @Test
    void eventsToParquet_tableAccountsForEachEvent() throws Exception {
        copy("ride_events.yaml", "rides.thrift");

        String account = run("events-to-parquet.md", Map.of(), 3).get(2);

        assertThat(account)
                .startsWith("ride_events: records=20000 events=20000 ")
                .contains(" refused=0 ");
        assertThat(Files.readAllLines(folder.resolve("ride_events.dead.jsonl"))).hasSizeBetween(180, 200);
        assertThat(ParquetFolder.rows(folder.resolve("out/rides"))).hasSize(written(account));
    }

    @Tag("soak")
    @Test
    void kafkaToIceberg_tableAccountsForEachEvent() throws Exception {
        copy("ride_events.yaml", "ride_events_iceberg.yaml", "rides.thrift", "thalweg.yaml");
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic("rides-thrift", PARTITIONS, Map.of());

            List<String> accounts = run("kafka-to-iceberg.md", Map.of("KAFKA_BOOTSTRAP", kafka.bootstrap()), 3);

            assertThat(accounts.get(1))
                    .startsWith("ride_events_iceberg: records=20000 events=20000 ")
                    .contains(" refused=0 ");
            assertThat(accounts.get(2)).startsWith("ride_events_iceberg: records=0 events=0 ");
            List<Path> files = IcebergFolder.files(folder.resolve(".thalweg/warehouse/rides/events"));
            assertThat(ParquetFolder.longs(files, "ts")).hasSize(written(accounts.get(1)));
        }
    }

    @Tag("soak")
    @Test
    void thriftToBigQuery_tableAccountsForEachEvent() throws Exception {
        copy("ride_events.yaml", "ride_events_bigquery.yaml", "rides.thrift");
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                BigQueryFake service = BigQueryFake.start()) {
            kafka.createTopic("rides-thrift", PARTITIONS, Map.of());
            Files.writeString(
                    folder.resolve("examples/thalweg.yaml"),
                    "kafka: {default: {bootstrap: \"%s\"}}\ngoogle: {endpoint: \"%s\"}\n"
                            .formatted(kafka.bootstrap(), service.endpoint()));
            IngestPlan plan =
                    IngestPlan.of(Definitions.load(List.of(folder.resolve("examples/ride_events_bigquery.yaml")))
                            .ingests()
                            .get(0));
            service.createTable("my-project.rides.events", BigQueryColumns.of(plan.table()), true);

            List<String> accounts = run("thrift-to-bigquery.md", Map.of(), 4);

            assertThat(accounts.get(1)).contains(" events=1000 ").endsWith("nothing written");
            assertThat(accounts.get(3))
                    .startsWith("ride_events_bigquery: records=5000 events=5000 ")
                    .contains(" refused=0 ");
            List<DynamicMessage> rows = service.rows("my-project.rides.events");
            assertThat(rows).hasSize(written(accounts.get(3)));
        }
    }
}
