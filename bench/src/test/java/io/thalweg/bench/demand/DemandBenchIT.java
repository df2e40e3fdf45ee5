package io.thalweg.bench.demand;

import static io.thalweg.bench.TestLauncher.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.bench.TestLauncher;
import io.thalweg.testing.Checkout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench demand --scale small} as users start it; both class paths are built by the package phase. */
@Tag("soak")
class DemandBenchIT {
    @Test
    void demand_small_carriesItsLoadAndCountsRight(@TempDir Path folder) throws Exception {
        assertThat(Checkout.file("app/cli/target/thalweg/lib"))
                .as("run the package phase of cli and bench first")
                .isDirectory();
        Path graph = folder.resolve("small.html");
        JsonNode json = TestLauncher.bench(
                folder, "demand", "--scale", "small", "--reads", "50", "--profile", graph.toString());
        assertThat(graph).content().startsWith("<!DOCTYPE html>").contains("thalweg run at scale small", "thalweg");
        assertThat(json.get("benchmark").asText()).isEqualTo("demand");
        JsonNode figures = json.get("results").get(0);
        assertThat(figures.get("system").asText()).isEqualTo("thalweg");
        assertPlausible(figures);
    }

    /** All dimensions differ from the defaults. The run itself recounts the rows, and compares their number between the views. */
    @Test
    void demand_anotherSetup_countsRightToo(@TempDir Path folder) throws Exception {
        JsonNode json = TestLauncher.bench(
                folder,
                "demand",
                "--vary=delivery=exactly_once",
                "--vary=parallelism=2",
                "--vary=views=2",
                "--vary=rings=3",
                "--vary=windows=2",
                "--vary=partitioning=random",
                "--vary=store=redis",
                "--vary=checkpoints=1",
                "--vary=gc=g1");

        JsonNode figures = json.get("results").get(0);
        assertThat(figures.get("variant").asText())
                .startsWith("small, delivery exactly_once, parallelism 2, views 2")
                .endsWith("gc g1");
        assertThat(number(figures, "rows_read_and_compared")).isPositive();
        assertThat(number(figures, "store_cores_average")).isPositive();
        assertThat(number(figures, "checkpoints")).isGreaterThan(2);
        assertThat(number(figures, "cpu_seconds_per_million_features")).isPositive();
        assertThat(number(figures, "due_readable_p50_ms")).isPositive();
    }

    private static void assertPlausible(JsonNode figures) {
        Load small = Load.of("small");
        double rate = small.eventsPerSecond() * small.speed();
        // On a busy machine the generator may be behind, and catch up.
        assertThat(number(figures, "events_per_second")).isBetween(0.01 * rate, 10 * rate);
        assertThat(number(figures, "cpu_seconds_per_million_events")).isBetween(0.5, 2_000.0);
        assertThat(number(figures, "cores_average")).isBetween(0.001, 64.0);
        assertThat(number(figures, "rows_per_second")).isPositive();
        assertThat(number(figures, "recounted_rows")).isBetween(10_000.0, 30_000.0);
        assertThat(number(figures, "rows_read_and_compared")).isBetween(1_000.0, 100_000.0);
        assertThat(number(figures, "reads")).isPositive();
        assertThat(number(figures, "read_p50_ms")).isBetween(0.0, number(figures, "read_p99_ms"));
        assertThat(number(figures, "packed_bytes_per_row")).isBetween(5.0, 200.0);
        assertThat(number(figures, "crossing_share")).isBetween(0.05, 0.69);
        assertThat(number(figures, "bad_events") + number(figures, "late_events"))
                .isZero();
        for (String latency : List.of("assembled", "acknowledged", "readable")) {
            double longest = number(figures, latency + "_max_ms");
            assertThat(number(figures, latency + "_p50_ms")).isBetween(0.0, longest);
            assertThat(longest).isLessThan(60_000);
        }
        assertThat(number(figures, "state_bytes")).isBetween(10_000.0, 100e6);
        assertThat(number(figures, "checkpoint_bytes")).isBetween(10_000.0, 100e6);
        assertThat(number(figures, "heap_peak_bytes")).isBetween(10e6, 2e9);
        assertThat(number(figures, "gc_pause_max_ms")).isGreaterThanOrEqualTo(0);
    }
}
