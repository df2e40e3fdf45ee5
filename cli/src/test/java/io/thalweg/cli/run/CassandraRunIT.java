package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.store.cassandra.CassandraProcess;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code store: {type: cassandra}}: what one process writes another serves, and who is not let in is told so in a line. */
@Timeout(240)
@SuppressWarnings("NullAway.Init")
class CassandraRunIT {
    private static final Path EXAMPLES = Path.of("..", "examples");
    private static final Path JARS = Path.of("..", "store-cassandra", "server", "target", "lib");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    static Path server;

    private static CassandraProcess cassandra;

    @TempDir
    Path folder;

    @BeforeAll
    static void startCassandra() {
        cassandra = CassandraProcess.start(server, JARS);
    }

    @AfterAll
    static void stopCassandra() {
        cassandra.close();
    }

    @BeforeEach
    void writeFiles() throws IOException {
        String view = Files.readString(SmallViews.demand(folder)).replace("ttl: 10m", "ttl: 10000d, history: 1d");
        Files.writeString(folder.resolve("demand.yaml"), view);
        List<String> lines = Files.readAllLines(EXAMPLES.resolve("rider-events.jsonl"));
        Files.write(folder.resolve("events.jsonl"), lines.subList(0, 50));
        surroundings("cassandra");
    }

    private void surroundings(String password) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                store: {type: cassandra, contact_points: ["127.0.0.1:%d"], keyspace: market, user: cassandra, password: %s}
                views: [demand.yaml]
                """.formatted(cassandra.port(), password));
    }

    @Test
    void serve_whatARunStored_isReadByAnotherProcess() throws Exception {
        Subprocess run = Launched.start(
                folder, "run", "demand", "--input", "events.jsonl", "--output", "rows.jsonl", "--store", "--quiet");
        assertThat(run.awaitExit(PATIENCE)).as(run.stderr().toString()).isZero();
        JsonNode row = row();
        String port = String.valueOf(FreePorts.next());

        try (Subprocess serve = Launched.start(folder, "serve", "--port", port)) {
            serve.awaitLine("serving http://127.0.0.1:" + port, PATIENCE);
            CommandRun get = CommandRun.of(
                    "get",
                    "demand",
                    "-e",
                    "cell=" + row.get("cell").asText(),
                    "-e",
                    "product=" + row.get("product").asText(),
                    "--as-of",
                    row.get("window_end").asText(),
                    "--json",
                    "--server",
                    "http://127.0.0.1:" + port);

            assertThat(get.exit()).as(get.err()).isZero();
            JsonNode read = new ObjectMapper().readTree(get.out()).get("rows").get(0);
            assertThat(read.get("status").asText()).isEqualTo("PRESENT");
            assertThat(read.get("window_end")).isEqualTo(row.get("window_end"));
            int i = 0;
            for (JsonNode value : row.get("features")) {
                assertThat(read.get("values").get(i++).doubleValue()).isEqualTo(value.doubleValue());
            }
            assertThat(i).isEqualTo(4);
        }
    }

    /** A row that says more than zeros, so one that was not the last of its key. */
    private JsonNode row() throws IOException {
        for (String line : Files.readAllLines(folder.resolve("rows.jsonl"))) {
            JsonNode row = new ObjectMapper().readTree(line);
            for (JsonNode value : row.get("features")) {
                if (value.doubleValue() > 0) {
                    return row;
                }
            }
        }
        throw new AssertionError("all rows are zeros");
    }

    @Test
    void serve_wrongPassword_saysSoInOneLineWithoutIt() throws Exception {
        surroundings("guessed");
        try (Subprocess serve = Launched.start(folder, "serve", "--port", "0")) {
            assertThat(serve.awaitExit(PATIENCE)).isEqualTo(1);
            assertThat(serve.stderr())
                    .anySatisfy(line -> assertThat(line)
                            .startsWith(
                                    "thalweg: the store cassandra://127.0.0.1:" + cassandra.port() + "/market refused")
                            .contains("check store.user and store.password"))
                    .noneSatisfy(line -> assertThat(line).contains("guessed"))
                    .noneSatisfy(line -> assertThat(line).contains("\tat "));
        }
    }
}
