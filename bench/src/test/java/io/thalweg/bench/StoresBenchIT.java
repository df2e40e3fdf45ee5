package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.systems;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench publish}, {@code materialize} and {@code serve} as users start them, on a few rows. */
@Tag("soak")
class StoresBenchIT {
    @TempDir
    private Path folder;

    @Test
    void publish_redis_allWaysWriteTheSameRows() throws Exception {
        JsonNode all = run("publish", "--rows", "2000", "--batch", "1,5000", "--parallelism", "1");
        assertThat(systems(all)).containsExactly("one_call_per_row", "pipelined", "thalweg", "thalweg", "replay");
        assertThat(number(all, 0, "rows")).isEqualTo(200);
        assertThat(number(all, 0, "rows_per_write")).isEqualTo(1);
        assertThat(number(all, 1, "rows")).isEqualTo(2_000);
        assertThat(number(all, 1, "rows_per_write")).isEqualTo(500);
        assertThat(number(all, 2, "rows")).isEqualTo(200);
        assertThat(number(all, 3, "rows")).isEqualTo(2_000);
        assertThat(all.path("ratios").path("thalweg_vs_pipelined").asDouble()).isPositive();
    }

    @Test
    void materialize_redis_allWaysWriteTheSameRows() throws Exception {
        JsonNode all = run("materialize", "--rows", "2000", "--parallelism", "1");
        assertThat(systems(all))
                .containsExactly(
                        "one_call_per_row",
                        "pipelined",
                        "plain_one_call_per_row",
                        "plain_pipelined",
                        "thalweg",
                        "replay");
    }

    @Test
    void serveCapacity_redis_allWaysReadTheSameRows() throws Exception {
        JsonNode all = run("serve", "--store", "redis", "--rows", "8000", "--seconds", "1", "--warm-up", "1");
        assertThat(systems(all)).containsExactly("thalweg", "thalweg", "thalweg", "mget");
        assertThat(number(all, 3, "reads_per_cpu_second")).isPositive();
        assertThat(all.path("ratios").path("thalweg_vs_mget").asDouble()).isPositive();
    }

    private static double number(JsonNode all, int place, String name) {
        return TestLauncher.number(all.path("results").path(place), name);
    }

    private JsonNode run(String... arguments) throws Exception {
        return TestLauncher.bench(folder, arguments);
    }
}
