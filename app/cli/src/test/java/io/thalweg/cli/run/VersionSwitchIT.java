package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A new version of a view warms up beside the one that is served, takes over, and is switched back. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class VersionSwitchIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Await.PATIENCE;
    /** Each event is two seconds after the one before it. Together they span less than the time since the first. */
    private static final int EVENTS_OF_THE_FIRST = 500;

    private static final int EVENTS_OF_TWO_MINUTES = 60;
    private static final String EVERYWHERE = "{\"region\":{\"bbox\":[-74.2,40.6,-73.8,40.9]}";
    private static final String FEATURES = "[\"k0_1m\",\"k1_2m\"]";

    @TempDir
    Path folder;

    private final HttpClient http = HttpOne.client();
    private final int port = FreePorts.next();
    private final int adminPort = FreePorts.next();

    private static String version(int version, String rings) {
        return """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: demand
                version: %d
                source:
                  topic: riders
                  start: earliest
                  format: json
                  event_time: {field: ts, unit: ms}
                  max_out_of_orderness: 20s
                  idle_after: 1h
                where: {event_type: [request, app_open]}
                entities:
                  - {name: cell, h3: {lat: lat, lng: lng, resolution: 8}}
                  - {name: product, field: product_id, type: uuid}
                measure: {count_distinct: rider_id, type: uuid}
                rings: %s
                windows: {sizes: [1m, 2m], every: 1m}
                online: {ttl: 1d, history: 1d}
                """.formatted(version, rings);
    }

    private Subprocess run(String views, String... options) throws IOException {
        return start("run", views, options);
    }

    private Subprocess start(String name, String views, String... options) throws IOException {
        Files.writeString(folder.resolve("views.yaml"), views);
        List<Object> command = new ArrayList<>(List.of(name, "views.yaml"));
        command.addAll(List.of(options));
        return Launched.start(folder, command.toArray());
    }

    private static void stop(Subprocess run) throws IOException {
        Launched.interrupt(run);
        assertThat(run.awaitExit(PATIENCE)).as("%s", run.stderr()).isZero();
    }

    private String alias(String... arguments) {
        List<Object> command = new ArrayList<>(List.of("alias"));
        command.addAll(List.of(arguments));
        try (Subprocess alias = Launched.start(folder, Map.of("USER", "alice"), command.toArray())) {
            assertThat(alias.awaitExit(PATIENCE)).as("%s", alias.stderr()).isZero();
            return String.join("\n", alias.stdout());
        }
    }

    private JsonNode send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        // Load management refuses some on a busy machine, as a client must expect.
        while (answer.statusCode() == 503 && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(500);
            answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private HttpRequest.Builder at(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    /** The view that answers reads of a name. */
    private String answering(String name) throws Exception {
        return send(at("/v1/views/" + name)).get("name").asText();
    }

    /** The rows at a window end that are not zeros: with more rings, more cells have rows of zeros. */
    private Set<String> rows(String name, String asOf) throws Exception {
        String body = EVERYWHERE + ",\"features\":" + FEATURES + ",\"as_of\":\"" + asOf + "\"}";
        JsonNode rows = send(at("/v1/views/" + name + ":scan")
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)))
                .get("rows");
        Set<String> found = new TreeSet<>();
        for (JsonNode row : rows) {
            if (row.get("values").get(0).asDouble() > 0
                    || row.get("values").get(1).asDouble() > 0) {
                found.add(row.get("entities") + " " + row.get("window_end") + " " + row.get("values"));
            }
        }
        return found;
    }

    private String awaitWatermark(String name, String after) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            String watermark = send(at("/v1/views/" + name)).path("watermark").asText("null");
            if (!watermark.equals("null") && watermark.compareTo(after) > 0) {
                return watermark;
            }
            assertThat(System.nanoTime())
                    .as("no rows of %s after %s", name, after)
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void sendUntilServed(RiderFeed feed, String view) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!answering("demand").equals(view)) {
            assertThat(System.nanoTime()).as("reads do not get %s", view).isLessThan(deadline);
            feed.send(EVENTS_OF_TWO_MINUTES / 4);
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** A server without a job switches back and forth at once, because both versions have rows of the same windows. */
    private void assertServerSwitches(String first, String both) throws Exception {
        try (Subprocess serve = start("serve", first, "--abort")) {
            serve.awaitLine("reads of demand get demand again", PATIENCE);
            serve.awaitLine("serving http", PATIENCE);
            assertThat(answering("demand")).isEqualTo("demand");
            stop(serve);
        }
        try (Subprocess serve = start("serve", both, "--replace")) {
            serve.awaitLine("reads of demand get demand_v2 from now on", PATIENCE);
            serve.awaitLine("serving http", PATIENCE);
            assertThat(answering("demand")).isEqualTo("demand_v2");
            stop(serve);
        }
    }

    @Test
    void replace_newVersionBesideTheServedOne_takesOverWithWholeRowsAndIsTakenBack() throws Exception {
        String first = version(1, "[0, 1]");
        String both = first + "---\n" + version(2, "[0, 1, 2]");
        long startMs = System.currentTimeMillis() - Duration.ofMinutes(30).toMillis();
        long seed = Long.getLong("thalweg.seed", System.nanoTime());
        try (EmbeddedKafka kafka = EmbeddedKafka.start();
                RiderFeed feed = new RiderFeed(kafka.bootstrap(), "riders", seed, startMs)) {
            kafka.createTopic("riders", RiderFeed.PARTITIONS, Map.of());
            kafka.createTopic("riders-dead", RiderFeed.PARTITIONS, Map.of());
            Files.writeString(folder.resolve("thalweg.yaml"), """
                    deployment: versions
                    kafka: {default: {bootstrap: "%s"}}
                    checkpoints: {dir: checkpoints, every: 1s}
                    store: {path: store}
                    server: {port: %d, admin_port: %d}
                    """.formatted(kafka.bootstrap(), port, adminPort));
            feed.send(EVENTS_OF_THE_FIRST);
            String served;
            try (Subprocess run = run(first)) {
                run.awaitLine("serving http", PATIENCE);
                served = awaitWatermark("demand", "");
                stop(run);
            }

            try (Subprocess run = run(both, "--replace")) {
                run.awaitLine("reads of demand get demand until demand_v2 has caught up", PATIENCE);
                run.awaitLine("serving http", PATIENCE);
                // A view that is added counts from the moment of its start, so events must pass that by its largest
                // window.
                sendUntilServed(feed, "demand_v2");
                run.awaitLine("reads of demand get demand_v2 from now on", PATIENCE);
                assertThat(answering("demand")).isEqualTo("demand_v2");
                String now = send(at("/v1/views/demand")).get("watermark").asText();
                assertThat(rows("demand", now)).as("seed %d", seed).isNotEmpty().isEqualTo(rows("demand_v1", now));

                assertThat(alias()).contains("demand  demand_v2  -       demand, demand_v2");
                assertThat(alias("demand", "demand")).isEqualTo("reads of demand get demand now, before demand_v2");
                assertThat(answering("demand")).isEqualTo("demand");
                assertThat(alias("demand", "demand_v2")).isEqualTo("reads of demand get demand_v2 now, before demand");
                served = send(at("/v1/views/demand_v1")).get("watermark").asText();
                stop(run);
            }

            assertServerSwitches(first, both);
            try (Subprocess run = run(first)) {
                assertThat(run.awaitExit(PATIENCE)).isEqualTo(2);
                assertThat(run.stderr()).anyMatch(line -> line.contains("go back to demand with --abort"));
            }
            try (Subprocess run = run(first, "--abort")) {
                run.awaitLine("reads of demand get demand again", PATIENCE);
                run.awaitLine("serving http", PATIENCE);
                feed.send(EVENTS_OF_TWO_MINUTES);
                assertThat(awaitWatermark("demand", served)).isGreaterThan(served);
                assertThat(answering("demand")).isEqualTo("demand");
                stop(run);
            }
        }
    }
}
