package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.number;
import static io.thalweg.bench.TestLauncher.systems;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench ingest} as users start it, on a few messages; all tables must have the same rows. */
@Tag("soak")
class IngestBenchIT {
    private static final int COUNT = 3_000;

    @TempDir
    private Path folder;

    @Test
    void files_intoParquet_areTheSameRowsByAllSystems() throws Exception {
        JsonNode all = run("--run", "thrift_parquet", "--rivals");
        assertThat(systems(all)).containsExactly("thalweg", "parquet_avro", "parquet_direct", "flink_parquet");
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
    void topic_intoBigQuery_hasARowForEachMessage() throws Exception {
        JsonNode all = run("--run", "3,5");
        assertThat(systems(all)).containsExactly("thalweg", "thalweg");
        for (JsonNode result : all.path("results")) {
            assertThat(number(result, "allocated_bytes_per_event")).isPositive();
            assertThat(number(result, "compiled_mb_per_cpu_second"))
                    .isGreaterThanOrEqualTo(number(result, "mb_per_cpu_second"));
        }
        assertThat(number(all.path("results").path(1), "lanes_most")).isEqualTo(1);
    }

    /** At a low rate, because messages must arrive after the first ten seconds even on a busy machine. */
    @Test
    void latency_ofMessagesThatAreSentMeanwhile_isUntilTheirRowsAreVisible() throws Exception {
        JsonNode all = run("--run", "7", "--rate", "100", "--seconds", "30", "--system", "thalweg");
        assertThat(systems(all)).containsExactly("thalweg");
        JsonNode result = all.path("results").path(0);
        assertThat(number(result, "latency_p50_ms")).isPositive();
        assertThat(number(result, "latency_p99_ms"))
                .isBetween(number(result, "latency_p50_ms"), number(result, "latency_max_ms"));
    }

    private JsonNode run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("ingest"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--count", String.valueOf(COUNT), "--warm-up", "0"));
        JsonNode json = TestLauncher.bench(folder, command.toArray(String[]::new));
        for (JsonNode result : json.path("results")) {
            assertThat(number(result, "events")).isEqualTo(COUNT);
            assertThat(number(result, "mb_per_cpu_second")).isPositive();
            assertThat(number(result, "bytes_in")).isBetween(768.0 * COUNT, 1_280.0 * COUNT);
            assertThat(number(result, "bytes_out")).isPositive();
        }
        return json;
    }
}
