package io.thalweg.live;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Routes as a Flink cluster reports them: each task of the job publishes its route as a metric, which Flink's REST interface
 * exposes.
 *
 * <p>Flink gathers metrics every {@code metrics.fetcher.update-interval}, 10 s by default; a moved shard cannot be found for
 * that long.
 */
public final class FlinkRoutes implements LiveRoutes {
    /** The metric that carries {@link LiveRoute#toText}. */
    public static final String METRIC = "live_route";

    private final FlinkApi flink;
    private final String jobName;

    /**
     * Creates routes of the job of this name.
     *
     * @param rest Flink's REST interface, such as {@code http://localhost:8081}
     */
    public FlinkRoutes(URI rest, String jobName) {
        this.flink = new FlinkApi(rest);
        this.jobName = jobName;
    }

    @Override
    public List<LiveRoute> find() throws IOException {
        List<LiveRoute> routes = new ArrayList<>();
        try {
            for (String job : flink.running(jobName)) {
                addJob("/jobs/" + job, routes);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return routes;
    }

    private void addJob(String job, List<LiveRoute> routes) throws IOException, InterruptedException {
        for (JsonNode vertex : flink.get(job).path("vertices")) {
            String metrics = job + "/vertices/" + vertex.path("id").asText() + "/metrics";
            List<String> published = new ArrayList<>();
            for (JsonNode metric : flink.get(metrics)) {
                String id = metric.path("id").asText();
                if (id.endsWith("." + METRIC)) {
                    published.add(URLEncoder.encode(id, StandardCharsets.UTF_8));
                }
            }
            if (!published.isEmpty()) {
                for (JsonNode metric : flink.get(metrics + "?get=" + String.join(",", published))) {
                    routes.add(LiveRoute.ofText(metric.path("value").asText()));
                }
            }
        }
    }
}
