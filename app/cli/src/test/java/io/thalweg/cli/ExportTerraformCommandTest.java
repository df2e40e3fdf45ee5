package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.runner.TerraformModule;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init")
class ExportTerraformCommandTest {
    private static final Path EXAMPLE = Checkout.file("examples/ride_events_bigquery.yaml");
    private static final Path MODULE = Checkout.file("deploy/terraform/ride_events_bigquery");

    @TempDir
    Path folder;

    private final TestConsole console = new TestConsole();

    @BeforeEach
    void writeSchema() throws IOException {
        Files.writeString(folder.resolve("ride.json"), """
                {"type": "object", "required": ["id"], "properties": {
                  "id": {"type": "integer"},
                  "stops": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "number"}}}}}}
                """);
    }

    private Path define(String name, String source, String sink) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), """
                apiVersion: thalweg/v1
                kind: Ingest
                name: %s
                source: {%s, format: json, schema: {file: ride.json}}
                sink: {%s}
                """.formatted(name, source, sink));
    }

    private String export(Path... specs) throws IOException {
        assertThat(run(specs)).as(console.err()).isZero();
        return Files.readString(folder.resolve("out/main.tf"));
    }

    private int run(Path... specs) {
        Stream<String> options = Stream.of("--out", folder.resolve("out").toString());
        return console.run(
                Stream.of(Stream.of("export", "terraform"), Stream.of(specs).map(Path::toString), options)
                        .flatMap(each -> each)
                        .toArray(String[]::new));
    }

    /** To regenerate the files: thalweg export terraform examples/ride_events_bigquery.yaml --out deploy/terraform/ride_events_bigquery */
    @ParameterizedTest
    @ValueSource(strings = {"main.tf", "variables.tf"})
    void export_example_isTheModuleInDeploy(String file) throws IOException {
        export(EXAMPLE);

        assertThat(folder.resolve("out").resolve(file)).hasSameTextualContentAs(MODULE.resolve(file));
    }

    @Test
    void export_severalIngests_shareTopicsAndDatasets() throws IOException {
        String main = export(
                define("a", "topic: rides", "bigquery: my-project.lake.a"),
                define("b", "topic: rides", "bigquery: my-project.lake.b"));

        assertThat(main)
                .containsOnlyOnce("name               = \"rides\"")
                .containsOnlyOnce("name               = \"rides-dead\"")
                .containsOnlyOnce("resource \"google_bigquery_dataset\" \"my_project_lake\"")
                .contains("table_id   = \"a\"", "table_id   = \"b\"")
                .contains("{ name = \"id\", type = \"INTEGER\", mode = \"REQUIRED\" },")
                .contains("""
                            { name = "stops", type = "RECORD", mode = "REPEATED", fields = [
                              { name = "at", type = "FLOAT", mode = "NULLABLE" },
                            ] },
                        """.strip());
    }

    @Test
    void export_namesThatDifferInSignsOnly_areTwoResources() throws IOException {
        String main = export(
                define("a", "topic: rides.eu", "parquet: table"), define("b", "topic: rides_eu", "parquet: table"));

        assertThat(main)
                .contains("resource \"kafka_topic\" \"rides_eu\" {\n  name               = \"rides.eu\"")
                .contains("resource \"kafka_topic\" \"rides_eu_2\" {\n  name               = \"rides_eu\"");
    }

    @Test
    void export_topicOfAnotherCluster_hasItsProvider() throws IOException {
        String main = export(define("a", "topic: rides, kafka: eu", "iceberg: lake.rides"));

        assertThat(main)
                .contains("provider           = kafka.eu")
                .contains("# Iceberg table lake.rides of catalog default");
        assertThat(folder.resolve("out/variables.tf"))
                .content()
                .contains("configuration_aliases = [kafka.eu]")
                .doesNotContain("hashicorp/google");
    }

    @Test
    void export_subscription_hasItsTopicAndKeepsMessagesForAnIngestThatIsDown() throws IOException {
        String source =
                "pubsub: projects/my-project/subscriptions/rides-%s, pubsub_topic: projects/other-project/topics/rides";
        String main = export(
                define("a", source.formatted("lake"), "parquet: a"), define("b", source.formatted("b"), "parquet: b"));

        assertThat(main)
                .containsOnlyOnce("""
                resource "google_pubsub_topic" "other_project_rides" {
                  project = "other-project"
                  name    = "rides"
                }
                """)
                .containsOnlyOnce("""
                resource "google_pubsub_subscription" "my_project_rides_lake" {
                  project = "my-project"
                  name    = "rides-lake"
                  topic   = google_pubsub_topic.other_project_rides.id

                  ack_deadline_seconds       = 60
                  message_retention_duration = var.pubsub_retention

                  expiration_policy {
                    ttl = ""
                  }
                }
                """)
                .contains("resource \"google_pubsub_subscription\" \"my_project_rides_b\"");
        assertThat(folder.resolve("out/variables.tf"))
                .content()
                .contains("hashicorp/google", "variable \"pubsub_retention\"", "\"604800s\"")
                .doesNotContain("Mongey/kafka", "bigquery_location");
    }

    @Test
    void text_whatHclWouldReplace_isEscaped() {
        assertThat(TerraformModule.text("a\"b\\c${d}%{e}")).isEqualTo("\"a\\\"b\\\\c$${d}%%{e}\"");
    }

    @Test
    void export_noIngest_saysSo() {
        assertThat(run(Checkout.file("examples/demand.yaml"))).isEqualTo(2);
        assertThat(console.err()).contains("there is no definition of kind: Ingest");
    }
}
