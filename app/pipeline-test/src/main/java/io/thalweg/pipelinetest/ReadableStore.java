package io.thalweg.pipelinetest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.ExpectedRead;
import io.thalweg.pipelinetest.PipelineTest.ReadRow;
import io.thalweg.pipelinetest.ViewReads.Answer;
import io.thalweg.pipelinetest.ViewReads.Row;
import io.thalweg.qalm.Mode;
import io.thalweg.runner.UserError;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.telemetry.Metrics;
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
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An embedded store, and a feature server of this process on the loopback address that answers HTTP reads. Tests set the clock of both.
 *
 * <p><b>Threads.</b> One.
 */
final class ReadableStore implements AutoCloseable {
    /** The most keys of a read. */
    static final int MOST_KEYS = 1_000;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int OK = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** There is nothing to drain, because every read is answered before the server stops. */
    /** Does not shed load: what a read of a test answers does not depend on what else the machine does. */
    private static final ServerConfig SERVER = ServerConfig.loopback(0)
            .withDrain(Duration.ZERO)
            .withQalm(new ServerConfig.Qalm(Mode.OFF, null, ServerConfig.Qalm.DEFAULT.dir()));

    private final FeatureView view;
    private final Path folder;
    private final MovableClock clock;
    private final OnlineStore store;
    private final FeatureServer server;

    private ReadableStore(FeatureView view, Path folder, MovableClock clock, OnlineStore store, FeatureServer server) {
        this.view = view;
        this.folder = folder;
        this.clock = clock;
        this.store = store;
        this.server = server;
    }

    /** Opens an empty store, whose clock starts at the beginning of 1970. */
    static ReadableStore open(FeatureView view, Path folder) {
        MovableClock clock = new MovableClock(0);
        OnlineStore store = Stores.open(folder, clock);
        try {
            return new ReadableStore(
                    view,
                    folder,
                    clock,
                    store,
                    FeatureServer.start(SERVER, List.of(view), store, null, clock, new Metrics()));
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    /** The folder under which jobs of this process find the store. */
    Path folder() {
        return folder;
    }

    /** Sets the clock of store and server, epoch ms. */
    void moveTo(long ms) {
        clock.set(ms);
    }

    /** Returns the watermark that the job has written. */
    OptionalLong watermark() {
        return store.watermark(view.qualifiedName());
    }

    /**
     * Reads from the server over HTTP, at the current time of its clock.
     *
     * @throws UserError if the server refuses the read
     */
    Answer read(ExpectedRead read) throws IOException, InterruptedException {
        URI address = URI.create("http://127.0.0.1:%d/v1/views/%s:read".formatted(server.port(), view.qualifiedName()));
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("content-type", "application/json")
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(request(read)))
                .build();
        HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != OK) {
            throw UserError.failed(
                    "the read at %s failed with HTTP %d: %s"
                            .formatted(
                                    Instant.ofEpochMilli(read.atMs()),
                                    response.statusCode(),
                                    response.body().strip()),
                    "");
        }
        return new Answer(read, rows(JSON.readTree(response.body())));
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

    /** Reads a number. Whole numbers above 2^53 arrive as text. */
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

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            store.close();
        }
    }
}
