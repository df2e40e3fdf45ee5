package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./thalweg bench qalm} as users start it, at a twentieth of the load and for seconds; only properties of the figures that
 * cannot be noise are checked. Other processes may use the machine: such a run is not valid, but still has figures.
 */
@Tag("soak")
class QalmBenchIT {
    @TempDir
    private Path folder;

    @Test
    void criticality_short_shedsByCriticality() throws Exception {
        JsonNode results = run("E2", "--seconds", "8", "--scale", "0.05", "--system", "on_off", "--system", "thalweg")
                .path("results");
        assertThat(results).hasSize(2);
        for (JsonNode result : results) {
            assertThat(number(result, "overload_all_calls")).isBetween(1_500.0, 2_200.0);
            assertThat(number(result, "overload_document_staging_refused"))
                    .isPositive()
                    .isGreaterThanOrEqualTo(number(result, "overload_document_refused"));
        }
        assertThat(temporaries()).as("logs of a run that went well").isEmpty();
    }

    @Test
    void overhead_twoRounds_saysWhatACallCosts() throws Exception {
        JsonNode results =
                run("E4", "--seconds", "1", "--rounds", "2", "--scale", "0.1").path("results");
        assertThat(results).hasSize(3);
        assertThat(number(results.get(0), "cpu_us_per_call_median")).isPositive();
        assertThat(number(results.get(1), "cpu_us_per_call_median")).isPositive();
        assertThat(results.get(1).path("rounds").path("cpu_us_per_call_median")).hasSize(2);
        assertThat(number(results.get(1), "calls_lost")).isNotNegative();
        assertThat(number(results.get(2), "admit_and_release_ns")).isPositive();
        assertThat(number(results.get(2), "admit_and_release_bytes")).isLessThan(0.5);
    }

    @Test
    void degradation_besideABusyProcess_hasFiguresThatDoNotCount() throws Exception {
        Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        JsonNode all;
        try {
            all = run("E1", "--seconds", "6", "--scale", "0.05", "--system", "thalweg");
        } finally {
            busy.destroy();
        }
        JsonNode result = all.path("results").path(0);
        assertThat(number(result, "overload_all_calls")).isBetween(1_500.0, 2_100.0);
        assumeTrue(Files.isReadable(Path.of("/proc/stat")));
        assertThat(all.path("equal_results").asBoolean()).isFalse();
        assertThat(all.path("difference").asText()).contains("thalweg, E1: ").contains("others_cores_max");
    }

    private JsonNode run(String experiment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("qalm", "--experiment", experiment, "--warm-up", "2"));
        command.addAll(List.of(arguments));
        Map<String, String> environment =
                Map.of("THALWEG_NO_BUILD", "1", "THALWEG_JAVA_OPTS", "-Djava.io.tmpdir=" + folder);
        return TestLauncher.bench(folder, environment, command.toArray(String[]::new));
    }

    private List<String> temporaries() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("thalweg-qalm"))
                    .toList();
        }
    }
}
