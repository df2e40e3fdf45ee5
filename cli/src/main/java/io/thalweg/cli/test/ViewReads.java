package io.thalweg.cli.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.cli.UserError;
import io.thalweg.cli.test.PipelineTest.ExpectedRead;
import io.thalweg.cli.test.PipelineTest.ReadRow;
import io.thalweg.model.Entity;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.Metrics;
import io.thalweg.server.ServerConfig;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.Stores;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a view as its callers do: the job writes into an embedded store, and a feature server of this process, on the loopback address,
 * answers by HTTP. The clock of store and server stands at the moment of the read, and the job has read the events up to it.
 *
 * <p><b>Threads.</b> One.
 *
 * @param reads in the order of their moments, at least one
 * @param folder of the store
 */
record ViewReads(FeatureView view, List<ExpectedRead> reads, Path folder) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;

    /** Every read is answered before it stops. */
    private static final ServerConfig SERVER = ServerConfig.loopback(0).withDrain(Duration.ZERO);

    /** What a read has answered. */
    record Answer(ExpectedRead read, List<Row> rows) {}

    /**
     * What a read has answered for a key.
     *
     * @param windowEndMs null = it has none
     * @param features those without a value are null
     */
    record Row(ReadStatus status, @Nullable Long windowEndMs, Map<String, @Nullable Number> features) {}

    /**
     * Runs a job and reads while it waits.
     *
     * @param job writes into a store in this folder
     * @param events of the job
     */
    List<Answer> answers(TestCluster cluster, Function<Path, ViewJob> job, CountedEvents events)
            throws IOException, InterruptedException {
        MovableClock clock = new MovableClock(reads.get(0).atMs());
        List<Answer> answers = new ArrayList<>();
        try (OnlineStore store = Stores.open(folder, clock);
                FeatureServer server = FeatureServer.start(SERVER, List.of(view), store, null, clock, new Metrics())) {
            List<TestCluster.Pause> pauses = reads.stream()
                    .map(read -> new TestCluster.Pause(
                            events.before(read.atMs()),
                            () -> clock.set(read.atMs()),
                            () -> answers.add(new Answer(read, read(server.port(), read)))))
                    .toList();
            cluster.run(job.apply(folder), pauses);
        }
        return answers;
    }

    private List<Row> read(int port, ExpectedRead read) throws IOException, InterruptedException {
        URI address = URI.create("http://127.0.0.1:%d/v1/views/%s:read".formatted(port, view.qualifiedName()));
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(request(read)))
                .build();
        HttpResponse<String> response = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != OK) {
            throw UserError.failed(
                    "the read at %s failed with HTTP %d: %s"
                            .formatted(
                                    time(read.atMs()),
                                    response.statusCode(),
                                    response.body().strip()),
                    "");
        }
        return rows(JSON.readTree(response.body()));
    }

    private String request(ExpectedRead read) {
        ObjectNode request = JSON.createObjectNode();
        ArrayNode keys = request.putArray("entities");
        for (ReadRow row : read.rows()) {
            ObjectNode key = keys.addObject();
            for (Entity entity : view.entities()) {
                Object value = Objects.requireNonNull(row.entities().get(entity.name()));
                key.putPOJO(entity.name(), value instanceof Boolean ? value : Texts.entity(entity, value));
            }
        }
        return request.toString();
    }

    private static List<Row> rows(JsonNode answer) {
        List<Row> rows = new ArrayList<>();
        for (JsonNode row : answer.path("rows")) {
            Map<String, @Nullable Number> features = new LinkedHashMap<>();
            for (int i = 0; i < answer.path("features").size(); i++) {
                features.put(
                        answer.path("features").get(i).asText(),
                        number(row.path("values").path(i)));
            }
            JsonNode end = row.path("window_end");
            rows.add(new Row(
                    ReadStatus.valueOf(row.path("status").asText()),
                    end.isTextual() ? (Long) Instant.parse(end.asText()).toEpochMilli() : null,
                    features));
        }
        return rows;
    }

    /** Whole numbers above 2^53 are text. */
    private static @Nullable Number number(JsonNode value) {
        if (value.isNumber()) {
            return value.isIntegralNumber() ? value.bigIntegerValue() : (Number) value.doubleValue();
        }
        if (!value.isTextual()) {
            return null;
        }
        String text = value.asText();
        return text.matches("-?\\d+") ? new BigInteger(text) : (Number) Double.valueOf(text);
    }

    /** How answers differ from what is expected, in lines; empty if they do not. */
    List<String> differences(List<Answer> answers) {
        List<String> lines = new ArrayList<>();
        for (Answer answer : answers) {
            for (int i = 0; i < answer.rows().size(); i++) {
                compare(
                        answer.read(),
                        answer.read().rows().get(i),
                        answer.rows().get(i),
                        lines);
            }
        }
        return lines;
    }

    private void compare(ExpectedRead read, ReadRow expected, Row was, List<String> lines) {
        List<String> differences = new ArrayList<>();
        if (expected.status() != was.status()) {
            differences.add("  status: expected %s, was %s".formatted(expected.status(), was.status()));
        }
        if (expected.windowEndMs() != null && !expected.windowEndMs().equals(was.windowEndMs())) {
            differences.add("  window_end: expected %s, was %s"
                    .formatted(
                            time(expected.windowEndMs()), was.windowEndMs() == null ? null : time(was.windowEndMs())));
        }
        expected.features().forEach((name, value) -> {
            if (!value.matches(was.features().get(name))) {
                differences.add("  %s: expected %s, was %s"
                        .formatted(name, value.text(), was.features().get(name)));
            }
        });
        if (!differences.isEmpty()) {
            lines.add("read at %s of %s differs:".formatted(time(read.atMs()), Texts.of(view, expected.entities())));
            lines.addAll(differences);
        }
    }

    private static String time(long ms) {
        return Instant.ofEpochMilli(ms).toString();
    }
}
