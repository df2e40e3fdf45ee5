package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.HttpOne;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Reads from a server on a port, which may not be running yet, or not any more. */
record ServedViews(int port) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpOne.client();
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final int TRIES = 120;
    private static final long TRY_EVERY_MS = 500;
    private static final long LOOK_EVERY_MS = 50;
    private static final int READ_ENDS = 6;
    private static final int READ_KEYS = 50;
    private static final int MOST_ENDS = 10_000;

    /** The view's watermark as readers see it; empty while there is none, or no server. */
    String watermark(String view) throws IOException, InterruptedException {
        try {
            JsonNode answer =
                    send(HttpRequest.newBuilder(uri("/v1/views/" + view)).build());
            return answer.path("watermark").asText(""); // null until every shard has reported
        } catch (ConnectException e) {
            return "";
        }
    }

    /** Sends a read; returns the server's answer. */
    JsonNode read(String view, String request) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri("/v1/views/" + view + ":read"))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(request))
                .build());
    }

    /** The number of events that the job has counted for a view, of any outcome, from {@code /metrics}. */
    long events(String view) throws IOException, InterruptedException {
        String metrics = HTTP.send(
                        HttpRequest.newBuilder(uri("/metrics")).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        return (long) Exposition.of(metrics).sum("thalweg_events_total", "view", view);
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** Retries a request that load management refuses, as a client must: on a busy machine it refuses some. */
    private static JsonNode send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        for (int tries = 1; response.statusCode() == 503 && tries < TRIES; tries++) {
            TimeUnit.MILLISECONDS.sleep(TRY_EVERY_MS);
            response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        }
        if (response.statusCode() != 200) {
            throw new AssertionError(request.uri() + " answered " + response.statusCode() + ": " + response.body());
        }
        return JSON.readTree(response.body());
    }

    /**
     * Reads a sample of keys at a sample of window ends: a cell without a row is zero, a key returns its newest row before
     * the end.
     *
     * @param rows all rows of the view, as JSON lines
     * @param random picks the sample
     */
    void assertRows(FeatureView view, List<String> rows, Random random, long seed) throws Exception {
        Map<String, TreeMap<String, JsonNode>> features = new HashMap<>();
        List<String> keys = new ArrayList<>();
        List<String> ends = new ArrayList<>();
        for (String row : rows) {
            JsonNode json = JSON.readTree(row);
            String key = view.isKeyed()
                    ? "{\"rider\":" + json.get("rider") + "}"
                    : "{\"cell\":" + json.get("cell") + ",\"product\":" + json.get("product") + "}";
            String end = json.get("window_end").asText();
            features.computeIfAbsent(key, unseen -> new TreeMap<>()).put(end, json.get("features"));
            keys.add(key);
            ends.add(end);
        }
        awaitWatermark(view, ends.stream().max(String::compareTo).orElseThrow());
        for (String end : sample(ends, READ_ENDS, random)) {
            List<String> asked = sample(keys, READ_KEYS, random).stream()
                    .filter(key -> findsUnknownKeys(view)
                            || features.getOrDefault(key, new TreeMap<>()).floorEntry(end) != null)
                    .toList();
            JsonNode answer = read(view.name(), "{\"as_of\":\"%s\",\"entities\":%s}".formatted(end, asked));
            for (int i = 0; i < asked.size(); i++) {
                TreeMap<String, JsonNode> ofKey = features.getOrDefault(asked.get(i), new TreeMap<>());
                Map.Entry<String, JsonNode> newest = ofKey.floorEntry(end);
                JsonNode expected = newest == null ? null : view.isKeyed() ? newest.getValue() : ofKey.get(end);
                JsonNode row = answer.get("rows").get(i);
                assertThat(values(row.get("values")))
                        .as("%s of %s at %s, seed %d: %s", asked.get(i), view.name(), end, seed, row)
                        .isEqualTo(expected == null ? nothing(view) : values(expected));
            }
        }
    }

    /** Whether to read keys whose rows are all later, which are searched at every window end within the view's {@code ttl}. */
    private static boolean findsUnknownKeys(FeatureView view) {
        return !view.isKeyed()
                || view.online().ttl().millis() / view.windows().every().millis() <= MOST_ENDS;
    }

    private void awaitWatermark(FeatureView view, String windowEnd) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (watermark(view.name()).compareTo(windowEnd) < 0) {
            assertThat(System.nanoTime())
                    .as("waited too long for the watermark of %s", view.name())
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MS);
        }
    }

    private static List<String> sample(List<String> from, int size, Random random) {
        return random.ints(size, 0, from.size()).mapToObj(from::get).distinct().toList();
    }

    /** Returns zeros, or no values for an unknown key. */
    private static List<Double> nothing(FeatureView view) {
        return Collections.nCopies(view.featureNames().size(), view.isKeyed() ? Double.NaN : 0.0);
    }

    private static List<Double> values(JsonNode node) {
        List<Double> values = new ArrayList<>();
        node.forEach(value -> values.add(value.isNull() ? Double.NaN : value.asDouble()));
        return values;
    }
}
