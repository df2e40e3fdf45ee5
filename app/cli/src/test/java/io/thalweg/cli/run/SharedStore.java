package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.runner.SmallViews;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** Checks what every store that machines share must do: one process serves what another wrote. */
final class SharedStore {
    private static final Path EVENTS = Checkout.file("examples/rider-events.jsonl");
    private static final Duration PATIENCE = Await.PATIENCE;

    private SharedStore() {}

    /** A view, {@code demand.yaml}, and some of its events. */
    static void writeFiles(Path folder) throws IOException {
        String view = Files.readString(SmallViews.demand(folder)).replace("ttl: 10m", "ttl: 10000d, history: 1d");
        Files.writeString(folder.resolve("demand.yaml"), view);
        Files.write(folder.resolve("events.jsonl"), Files.readAllLines(EVENTS).subList(0, 50));
    }

    /** Runs with the store that the folder's {@code thalweg.yaml} names. */
    static void assertWhatARunStoredIsServed(Path folder) throws IOException {
        Subprocess run = Launched.start(
                folder, "run", "demand", "--input", "events.jsonl", "--output", "rows.jsonl", "--store", "--quiet");
        assertThat(run.awaitExit(PATIENCE)).as(run.stderr().toString()).isZero();
        JsonNode row = row(folder);
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

    /** Returns one of the first rows: they are in the store, and none of them is zero. */
    private static JsonNode row(Path folder) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(folder.resolve("rows.jsonl"))) {
            rows.add(json.readTree(line));
        }
        return Collections.min(
                rows, Comparator.comparing(row -> row.get("window_end").asText()));
    }
}
