package io.thalweg.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench ingest} as people start it, on a few messages; all tables must have the same rows. */
class IngestBenchIT {
    private static final int COUNT = 3_000;

    @TempDir
    private Path folder;

    @Test
    void files_intoParquet_areTheSameRowsByAllSystems() throws Exception {
        JsonNode all = run("--run", "thrift_parquet", "--rivals", "--stages");
        assertThat(systems(all)).containsExactly("thalweg", "parquet_avro", "parquet_direct", "flink_parquet");
        JsonNode own = all.path("results").path(0);
        double shares = number(own, "read_share")
                + number(own, "translate_share")
                + number(own, "write_share")
                + number(own, "other_share");
        assertThat(shares).isBetween(0.999, 1.001);
    }

    @Test
    void files_ofJson_areTheSameRowsInEveryRound() throws Exception {
        JsonNode all =
                run("--run", "json_parquet", "--system", "thalweg", "--system", "parquet_direct", "--rounds", "2");
        assertThat(systems(all)).containsExactly("thalweg", "parquet_direct");
        assertThat(number(all.path("results").path(0), "cpu_seconds_per_gb"))
                .isBetween(
                        number(all.path("results").path(0), "cpu_seconds_per_gb_least"),
                        number(all.path("results").path(0), "cpu_seconds_per_gb_most"));
    }

    @Test
    void topic_intoIceberg_isTheSameRowsByAllSystems() throws Exception {
        JsonNode all = run("--run", "kafka_iceberg", "--rivals");
        assertThat(systems(all)).containsExactly("thalweg", "flink_iceberg", "flink_iceberg_plain");
        assertThat(all.path("ratios")
                        .path("kafka_iceberg_thalweg_vs_flink_iceberg")
                        .asDouble())
                .isPositive();
    }

    @Test
    void topic_intoTopic_hasTheSameRowsByAllSystems() throws Exception {
        JsonNode all = run("--run", "avro_topic", "--rivals");
        assertThat(systems(all)).containsExactly("thalweg", "topic_program", "flink_topic");
    }

    @Test
    void topic_intoBigQuery_isTheSameRowsByAllSystems() throws Exception {
        JsonNode all =
                run("--run", "6", "--system", "thalweg", "--system", "generic_record", "--system", "json_writer");
        assertThat(systems(all)).containsExactly("thalweg", "generic_record", "json_writer");
        for (JsonNode result : all.path("results")) {
            assertThat(number(result, "allocated_bytes_per_event")).isPositive();
            assertThat(number(result, "compiled_mb_per_cpu_second"))
                    .isGreaterThanOrEqualTo(number(result, "mb_per_cpu_second"));
        }
        assertThat(number(all.path("results").path(0), "lanes_most")).isEqualTo(1);
    }

    /**
     * Slowly, because commits must come between the start and the end of the job on a busy machine, too. Of the rival there is a run
     * in {@link #topic_intoIceberg_isTheSameRowsByAllSystems}, which differs from one of this kind in where it ends.
     */
    @Test
    void latency_ofMessagesThatAreSentMeanwhile_isThatOfTheCommits() throws Exception {
        JsonNode all = run("--run", "kafka_iceberg", "--rate", "100", "--seconds", "30", "--system", "thalweg");
        assertThat(systems(all)).containsExactly("thalweg");
        JsonNode result = all.path("results").path(0);
        assertThat(number(result, "latency_p50_ms")).isPositive();
        assertThat(number(result, "latency_p99_ms"))
                .isBetween(number(result, "latency_p50_ms"), number(result, "latency_max_ms"));
    }

    private static List<String> systems(JsonNode all) {
        return StreamSupport.stream(all.path("results").spliterator(), false)
                .map(result -> result.path("system").asText())
                .toList();
    }

    private JsonNode run(String... arguments) throws Exception {
        Path file = folder.resolve("figures.json");
        List<String> command = new ArrayList<>(List.of(TestLauncher.PATH.toString(), "bench", "ingest"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--count", String.valueOf(COUNT), "--warm-up", "0", "--json", file.toString()));
        try (Subprocess bench = Subprocess.start(folder, TestLauncher.ENVIRONMENT, command)) {
            assertThat(bench.awaitExit(Duration.ofMinutes(10)))
                    .as(() -> String.join("\n", bench.stderr()) + String.join("\n", bench.stdout()))
                    .isZero();
        }
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.path("equal_results").asBoolean()).isTrue();
        for (JsonNode result : json.path("results")) {
            assertThat(number(result, "events")).isEqualTo(COUNT);
            assertThat(number(result, "mb_per_cpu_second")).isPositive();
            assertThat(number(result, "bytes_in")).isBetween(768.0 * COUNT, 1_280.0 * COUNT);
            assertThat(number(result, "bytes_out")).isPositive();
        }
        return json;
    }

    private static double number(JsonNode figures, String name) {
        assertThat(figures.has(name)).as(name).isTrue();
        return figures.get(name).asDouble();
    }
}
