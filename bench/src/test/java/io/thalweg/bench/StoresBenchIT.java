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

/** {@code ./thalweg bench publish}, {@code materialize} and {@code serve} as people start them, on a few rows. */
class StoresBenchIT {
    @TempDir
    private Path folder;

    @Test
    void publish_redis_allWaysWriteTheSameRows() throws Exception {
        JsonNode all = run("publish", "--rows", "2000", "--batch", "500", "--parallelism", "2");
        assertThat(systems(all)).containsExactly("one_call_per_row", "pipelined", "thalweg", "replay");
        assertThat(number(all, 0, "rows")).isEqualTo(200);
        assertThat(number(all, 2, "rows")).isEqualTo(2_000);
        assertThat(all.path("ratios").path("thalweg_vs_pipelined").asDouble()).isPositive();
    }

    @Test
    void materialize_redis_allWaysWriteTheSameRows() throws Exception {
        JsonNode all = run("materialize", "--rows", "2000", "--parallelism", "1");
        assertThat(systems(all))
                .containsExactly(
                        "read_only",
                        "one_call_per_row",
                        "pipelined",
                        "plain_one_call_per_row",
                        "plain_pipelined",
                        "thalweg",
                        "replay");
        assertThat(all.path("ratios").has("thalweg_vs_read_only")).isFalse();
    }

    /** At a twentieth of the rates: a server that is not compiled yet, on a machine with other work, need not hold more. */
    @Test
    void serve_rocksdb_answersTheRowsThatWereWritten() throws Exception {
        JsonNode all = run(
                "serve", "--store", "rocksdb", "--rows", "8000", "--share", "0.05", "--seconds", "2", "--warm-up", "1");
        assertThat(systems(all)).hasSize(4).containsOnly("thalweg");
        assertThat(number(all, 0, "read_p50_ms")).isPositive();
    }

    private static List<String> systems(JsonNode all) {
        return StreamSupport.stream(all.path("results").spliterator(), false)
                .map(result -> result.path("system").asText())
                .toList();
    }

    private static double number(JsonNode all, int place, String name) {
        JsonNode figures = all.path("results").path(place);
        assertThat(figures.has(name)).as(name).isTrue();
        return figures.get(name).asDouble();
    }

    private JsonNode run(String... arguments) throws Exception {
        Path file = folder.resolve("figures.json");
        List<String> command = new ArrayList<>(List.of(TestLauncher.PATH.toString(), "bench"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--json", file.toString()));
        try (Subprocess bench = Subprocess.start(folder, TestLauncher.ENVIRONMENT, command)) {
            assertThat(bench.awaitExit(Duration.ofMinutes(5)))
                    .as(() -> String.join("\n", bench.stderr()) + String.join("\n", bench.stdout()))
                    .isZero();
        }
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.path("equal_results").asBoolean()).isTrue();
        return json;
    }
}
