package io.thalweg.bench.demand;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics that a running {@code thalweg run} or {@code serve} reports on its port. Safe to share. */
public final class ThalwegServer {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A measured process may be starved for seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    /** Creates a client of the server at a port of this machine. */
    public ThalwegServer(int port) {
        base = "http://127.0.0.1:" + port;
    }

    private String get(String path) throws InterruptedException {
        try {
            return http.send(
                            HttpRequest.newBuilder(URI.create(base + path))
                                    .timeout(PATIENCE)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException("the server of the run under measurement does not answer", e);
        }
    }

    /** Returns a view's watermark as readers see it, epoch ms; {@code Long.MIN_VALUE} if there is none yet. */
    long watermarkMs(String view) throws InterruptedException {
        try {
            JsonNode watermark = JSON.readTree(get("/v1/views/" + view)).path("watermark");
            return watermark.isTextual() ? Instant.parse(watermark.textValue()).toEpochMilli() : Long.MIN_VALUE;
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException("the server of the run under measurement does not answer with JSON", e);
        }
    }

    /** Reads the present metrics. */
    public Metrics metrics() throws InterruptedException {
        return new Metrics(get("/metrics"));
    }

    /** Metrics in Prometheus' text format. */
    public record Metrics(String text) {
        /** Returns the sum over all series of a counter that have these labels; of all series if empty. */
        public long sum(String name, String labels) {
            Matcher line = Pattern.compile("^" + name + "(\\{.*\\})? (\\S+)$", Pattern.MULTILINE)
                    .matcher(text);
            double sum = 0;
            while (line.find()) {
                if (labels.isEmpty() || line.group(1).contains(labels)) {
                    sum += Double.parseDouble(line.group(2));
                }
            }
            return Math.round(sum);
        }
    }
}
