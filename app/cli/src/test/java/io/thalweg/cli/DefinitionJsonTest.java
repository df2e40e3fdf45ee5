package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --json} of the commands about definitions. */
class DefinitionJsonTest {
    private static final String VIEW = Checkout.file("examples/demand.yaml").toString();

    private final TestConsole console = new TestConsole();

    @TempDir
    Path folder;

    private JsonNode json(int exitCode, String... command) throws IOException {
        assertThat(console.run(command)).as(console::err).isEqualTo(exitCode);
        return new ObjectMapper().readTree(console.out());
    }

    @Test
    void validate_validAndWrongDefinitions_areListed() throws IOException {
        JsonNode valid = json(0, "validate", VIEW, "--json");

        assertThat(valid.get("valid").asBoolean()).isTrue();
        assertThat(valid.at("/definitions/0/name").asText()).isEqualTo("demand");
        assertThat(valid.at("/definitions/0/entities/0").toString())
                .isEqualTo("{\"name\":\"cell\",\"type\":\"h3\",\"resolution\":9}");
        assertThat(valid.at("/definitions/0/features")).hasSize(54);
        assertThat(valid.get("problems")).isEmpty();
    }

    @Test
    void validate_wrongDefinition_hasItsProblemsOnStandardOutput() throws IOException {
        Path wrong = Files.writeString(
                folder.resolve("wrong.yaml"), Files.readString(Path.of(VIEW)).replace("rings:", "rigns:"));

        JsonNode answer = json(2, "validate", wrong.toString(), "--json");

        assertThat(answer.get("valid").asBoolean()).isFalse();
        assertThat(answer.get("problems")).isNotEmpty();
        assertThat(answer.at("/problems/0/file").asText()).endsWith("wrong.yaml");
        assertThat(answer.at("/problems/0/message").asText()).isNotEmpty();
        assertThat(console.err()).isEmpty();
    }

    @Test
    void validate_jsonWithASample_isRefused() {
        assertThat(console.run("validate", VIEW, "--json", "--sample", "-")).isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: --json does not go with --sample");
    }

    @Test
    void views_ofAFolder_areListed() throws IOException {
        JsonNode answer = json(0, "views", Checkout.file("examples").toString(), "--json");

        assertThat(answer.get("views").findValuesAsText("name")).contains("demand");
        assertThat(answer.at("/ingests/0/kind").asText()).isEqualTo("Ingest");
    }

    @Test
    void explain_ofAView_estimates() throws IOException {
        JsonNode answer = json(0, "explain", VIEW, "--active-cells", "1000", "--groups", "2", "--json");

        assertThat(answer.get("rows_per_window_end").asLong()).isEqualTo(2_000);
        assertThat(answer.get("state_bytes").asLong()).isPositive();
        assertThat(answer.at("/bytes_per_second/kafka_json").asLong())
                .isGreaterThan(answer.at("/bytes_per_second/kafka_packed").asLong());
        assertThat(answer.get("graph")).isNotEmpty();
    }
}
