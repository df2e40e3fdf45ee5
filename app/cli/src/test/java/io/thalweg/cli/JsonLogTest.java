package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads what a process with {@code THALWEG_LOG=json} writes to its standard error with another JSON library. */
@SuppressWarnings("NullAway.Init")
class JsonLogTest {
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    @TempDir
    Path folder;

    private static Subprocess start(Path folder, String form, String main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main));
        command.addAll(List.of(arguments));
        return Subprocess.start(folder, Map.of("THALWEG_LOG", form), command);
    }

    /** Parses each line as an event with the same keys; fails otherwise. */
    private static List<JsonNode> events(Subprocess process) throws JsonProcessingException {
        List<JsonNode> events = new ArrayList<>();
        for (String line : process.stderr()) {
            JsonNode event = STRICT.readTree(line);
            assertThat(event.isObject()).as(line).isTrue();
            List<String> keys = new ArrayList<>();
            event.fieldNames().forEachRemaining(keys::add);
            assertThat(keys).as(line).startsWith("time", "level", "logger", "thread", "message");
            assertThat(keys.subList(5, keys.size())).as(line).isSubsetOf("exception", "trace_id");
            assertThat(Instant.parse(event.get("time").asText())).isAfter(Instant.EPOCH);
            events.add(event);
        }
        return events;
    }

    private static JsonNode event(List<JsonNode> events, String message) {
        List<JsonNode> found = events.stream()
                .filter(event -> event.get("message").asText().contains(message))
                .toList();
        assertThat(found).as(message).hasSize(1);
        return found.get(0);
    }

    private static List<JsonNode> sample(Path folder) throws JsonProcessingException {
        try (Subprocess sample = start(folder, "json", JsonLogSample.class.getName())) {
            assertThat(sample.awaitExit(PATIENCE))
                    .as(sample.stderr().toString())
                    .isZero();
            return events(sample);
        }
    }

    @Test
    void log_asJson_isAnObjectPerLineWhateverIsLogged() throws JsonProcessingException {
        List<JsonNode> events = sample(folder);

        JsonNode hostile = event(events, "${jndi");
        assertThat(hostile.get("message").asText())
                .as("half of a surrogate pair has no encoding")
                .isEqualTo(JsonLogSample.HOSTILE.replace("\ud83d.", "?."));
        assertThat(hostile.get("level").asText()).isEqualTo("WARN");
        assertThat(hostile.get("logger").asText()).isEqualTo(JsonLogSample.class.getName());
        assertThat(hostile.get("thread").asText()).isEqualTo("main");
        assertThat(hostile.has("exception")).isFalse();
        assertThat(event(events, "a failure").get("exception").asText())
                .startsWith("java.lang.IllegalStateException: \"}\n{")
                .contains(
                        "\tat io.thalweg.cli.JsonLogSample.main(", "Caused by: java.lang.RuntimeException: its cause");
        assertThat(event(events, "serving nothing").get("level").asText()).isEqualTo("INFO");
        assertThat(event(events, "refused").get("level").asText()).isEqualTo("ERROR");
        assertThat(event(events, "printed by a library").get("level").asText()).isEqualTo("INFO");
        assertThat(event(events, "in thread failing").get("exception").asText()).contains("fails its thread");
        assertThat(events).noneMatch(event -> event.toString().contains("not logged"));

        JsonNode read = event(events, "the store failed a read");
        assertThat(read.get("trace_id").asText()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(read.get("thread").asText()).startsWith("thalweg-read-");
        assertThat(read.get("exception").asText()).contains("io.thalweg.store.StoreException: no read today");
        assertThat(events.stream().filter(event -> event.has("trace_id"))).containsExactly(read);
    }

    @Test
    void command_withALogAsJson_reportsItsErrorsInIt() throws Exception {
        Path view = Files.writeString(folder.resolve("view.yaml"), "kind: \"a\\nb\"\nkind: \"\\\"\"\n");
        try (Subprocess validate = start(folder, "json", Main.class.getName(), "validate", view.toString())) {
            assertThat(validate.awaitExit(PATIENCE)).isEqualTo(2);
            assertThat(events(validate))
                    .anyMatch(event -> event.get("level").asText().equals("ERROR")
                            && event.get("message").asText().contains("view.yaml"));
        }
        assertThat(folder.resolve(".thalweg")).doesNotExist();
    }

    @Test
    void command_withAnUnknownForm_isWrongUse() {
        try (Subprocess views = start(folder, "xml", Main.class.getName(), "views")) {
            assertThat(views.awaitExit(PATIENCE)).isEqualTo(2);
            assertThat(views.stderr()).containsExactly("thalweg: THALWEG_LOG must be text or json, was 'xml'");
        }
    }
}
