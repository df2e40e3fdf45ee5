package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.number;
import static io.thalweg.bench.TestLauncher.systems;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench training} as users start it, on a few minutes of the city; DuckDB and Feast come from PyPI. */
@Tag("soak")
class TrainingBenchIT {
    @Test
    void training_fewMinutes_allSystemsGiveTheSameAnswers(@TempDir Path folder) throws Exception {
        JsonNode all = TestLauncher.bench(
                folder,
                "training",
                "--minutes",
                "4",
                "--labels",
                "3000",
                "--feast-minutes",
                "3",
                "--feast-labels",
                "500");

        assertThat(systems(all))
                .containsExactly("thalweg", "thalweg_small", "duckdb_asof", "duckdb_equality", "thalweg", "feast");
        for (JsonNode figures : all.path("results")) {
            int labels = figures.path("variant").asText().startsWith("3000 ") ? 3_000 : 500;
            assertThat(number(figures, "labels")).isEqualTo(labels);
            // Some rows are absent, and small rings are often zero.
            assertThat(number(figures, "nonzero_values")).isBetween(labels * 2.0, labels * 50.0);
            assertThat(number(figures, "cpu_seconds_per_million_labels")).isPositive();
            assertThat(number(figures, "resident_peak_bytes")).isBetween(10e6, 20e9);
        }
        assertThat(all.path("ratios").fieldNames())
                .toIterable()
                .contains("thalweg_vs_duckdb_asof", "thalweg_vs_duckdb_equality", "thalweg_vs_feast");
    }
}
