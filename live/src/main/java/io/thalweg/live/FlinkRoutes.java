package io.thalweg.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Routes as a Flink cluster tells them: each task of the job publishes its own as a metric, which Flink's REST interface
 * shows.
 *
 * <p>Flink gathers metrics every {@code metrics.fetcher.update-interval}, 10 s unless configured: for so long a moved shard is
 * not found.
 */
public final class FlinkRoutes implements LiveRoutes {
    /** The metric that carries {@link LiveRoute#toText}. */
    public static final String METRIC = "live_route";

    private static final Set<String> OVER = Set.of("FINISHED", "CANCELED", "FAILED", "SUSPENDED");
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final URI rest;
    private final String jobName;

    /**
     * Routes of the job of this name.
     *
     * @param rest Flink's REST interface, such as {@code http://localhost:8081}
     */
    public FlinkRoutes(URI rest, String jobName) {
        this.rest = rest;
        this.jobName = jobName;
    }

    @Override
    public List<LiveRoute> find() throws IOException {
        List<LiveRoute> routes = new ArrayList<>();
        for (JsonNode job : get("/jobs/overview").path("jobs")) {
            if (job.path("name").asText().equals(jobName)
                    && !OVER.contains(job.path("state").asText())) {
                addJob("/jobs/" + job.path("jid").asText(), routes);
            }
        }
        return routes;
    }

    private void addJob(String job, List<LiveRoute> routes) throws IOException {
        for (JsonNode vertex : get(job).path("vertices")) {
            String metrics = job + "/vertices/" + vertex.path("id").asText() + "/metrics";
            List<String> published = new ArrayList<>();
            for (JsonNode metric : get(metrics)) {
                String id = metric.path("id").asText();
                if (id.endsWith("." + METRIC)) {
                    published.add(URLEncoder.encode(id, StandardCharsets.UTF_8));
                }
            }
            if (!published.isEmpty()) {
                for (JsonNode metric : get(metrics + "?get=" + String.join(",", published))) {
                    routes.add(LiveRoute.ofText(metric.path("value").asText()));
                }
            }
        }
    }

    private JsonNode get(String path) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(rest.resolve(path)).timeout(TIMEOUT).build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IOException(response.uri() + " answers " + response.statusCode() + ": " + response.body());
            }
            return JSON.readTree(response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
