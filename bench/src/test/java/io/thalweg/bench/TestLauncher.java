package io.thalweg.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/** {@code ./thalweg bench} as users start it, without its check of the build; both class paths are built by the package phase. */
public final class TestLauncher {
    private static final Path PATH = Checkout.file("thalweg");
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /**
     * For processes that live for seconds and whose speed does not matter: the cost of the second compiler and of bytecode
     * verification would not pay off.
     */
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "THALWEG_NO_BUILD",
            "1",
            "JAVA_TOOL_OPTIONS",
            "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote");

    private TestLauncher() {}

    /** Runs a benchmark that must succeed with equal rows; returns the output of {@code --json}. */
    public static JsonNode bench(Path folder, String... arguments) throws Exception {
        JsonNode json = bench(folder, ENVIRONMENT, arguments);
        assertThat(json.path("equal_results").asBoolean())
                .as(json.path("difference").asText())
                .isTrue();
        return json;
    }

    /** Runs a benchmark in another environment, where rows may differ: the exit code is then 1. */
    static JsonNode bench(Path folder, Map<String, String> environment, String... arguments) throws Exception {
        Path file = folder.resolve("figures.json");
        List<String> command = new ArrayList<>(List.of(PATH.toString(), "bench"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--json", file.toString()));
        try (Subprocess bench = Subprocess.start(folder, environment, command)) {
            int code = bench.awaitExit(PATIENCE);
            String printed = String.join("\n", bench.stderr()) + String.join("\n", bench.stdout());
            assertThat(file).as(printed).exists();
            JsonNode json = new ObjectMapper().readTree(Files.readString(file));
            assertThat(code).as(printed).isEqualTo(json.path("equal_results").asBoolean() ? 0 : 1);
            return json;
        }
    }

    /** Returns the systems of the results, in their order. */
    static List<String> systems(JsonNode all) {
        return StreamSupport.stream(all.path("results").spliterator(), false)
                .map(result -> result.path("system").asText())
                .toList();
    }

    /** Returns a figure, which must exist. */
    public static double number(JsonNode figures, String name) {
        assertThat(figures.has(name)).as(name).isTrue();
        return figures.get(name).asDouble();
    }
}
