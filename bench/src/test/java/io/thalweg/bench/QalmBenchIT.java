package io.thalweg.bench;

import static io.thalweg.bench.TestLauncher.number;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./thalweg bench qalm} as people start it, at a twentieth of the load and for seconds; figures are only looked at for what cannot be noise. */
class QalmBenchIT {
    @TempDir
    private Path folder;

    @Test
    void criticality_short_shedsByCriticality() throws Exception {
        JsonNode results = run("E2", "--seconds", "8", "--scale", "0.05", "--system", "on_off", "--system", "thalweg");
        for (JsonNode result : results) {
            assertThat(number(result, "overload_all_calls")).isBetween(1_500.0, 2_200.0);
            assertThat(number(result, "overload_document_staging_refused"))
                    .isPositive()
                    .isGreaterThanOrEqualTo(number(result, "overload_document_refused"));
        }
        assertThat(temporaries()).as("logs of a run that went well").isEmpty();
    }

    @Test
    void overhead_short_saysWhatACallCosts() throws Exception {
        JsonNode results = run("E4", "--seconds", "1", "--rounds", "1", "--scale", "0.1");
        assertThat(results).hasSize(3);
        assertThat(number(results.get(0), "cpu_us_per_call_median")).isPositive();
        assertThat(number(results.get(1), "cpu_us_per_call_median")).isPositive();
        assertThat(number(results.get(2), "admit_and_release_ns")).isBetween(20.0, 20_000.0);
        assertThat(number(results.get(2), "admit_and_release_bytes")).isLessThan(0.5);
        assertThat(number(results.get(2), "calls_lost")).isNotNegative();
    }

    /** The only one whose service is stopped meanwhile, and that ends with the window that counts. */
    @Test
    void pauses_short_endsWithFigures() throws Exception {
        JsonNode results = run("E8", "--seconds", "6", "--scale", "0.05", "--system", "thalweg");
        assertThat(number(results.get(0), "pauses_all_calls")).isBetween(600.0, 1_100.0);
        // On a machine that others keep busy, some calls are shed for that reason.
        assertThat(number(results.get(0), "pauses_core_refused"))
                .isLessThan(number(results.get(0), "pauses_all_calls") / 2);
    }

    private JsonNode run(String experiment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("qalm", "--experiment", experiment, "--warm-up", "2"));
        command.addAll(List.of(arguments));
        Map<String, String> environment =
                Map.of("THALWEG_NO_BUILD", "1", "THALWEG_JAVA_OPTS", "-Djava.io.tmpdir=" + folder);
        return TestLauncher.bench(folder, environment, command.toArray(String[]::new))
                .path("results");
    }

    private List<String> temporaries() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("thalweg-qalm"))
                    .toList();
        }
    }
}
