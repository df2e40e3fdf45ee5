package io.thalweg.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Flink's REST interface: what is asked of it and how.
 *
 * <p><b>Errors.</b> {@link IOException} while the cluster does not answer, and where it answers that something is wrong.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class FlinkApi {
    private static final Set<String> OVER = Set.of("FINISHED", "CANCELED", "FAILED", "SUSPENDED");
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final URI rest;

    /**
     * The interface of one cluster.
     *
     * @param rest such as {@code http://localhost:8081}
     */
    public FlinkApi(URI rest) {
        this.rest = rest;
    }

    /** Where it is. */
    public URI uri() {
        return rest;
    }

    /** Whether a job of this state will not run again. */
    public static boolean isOver(String state) {
        return OVER.contains(state);
    }

    /** The ids of the jobs of a name that run or try to. */
    public List<String> running(String name) throws IOException, InterruptedException {
        List<String> ids = new ArrayList<>();
        for (JsonNode job : get("/jobs/overview").path("jobs")) {
            if (job.path("name").asText().equals(name)
                    && !isOver(job.path("state").asText())) {
                ids.add(job.path("jid").asText());
            }
        }
        return ids;
    }

    /** What a path holds. */
    public JsonNode get(String path) throws IOException, InterruptedException {
        return find(path).orElseThrow(() -> new IOException(rest.resolve(path) + " answers 404"));
    }

    /** What a path holds; nothing where the cluster knows no such thing. */
    public Optional<JsonNode> find(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(rest.resolve(path)));
    }

    /** Requests an action and returns its result. */
    public JsonNode post(String path, JsonNode body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(rest.resolve(path))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString())))
                .orElseThrow(() -> new IOException(rest.resolve(path) + " answers 404"));
    }

    private Optional<JsonNode> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() == 404) {
            return Optional.empty();
        }
        if (response.statusCode() / 100 != 2) {
            throw new IOException(response.uri() + " answers " + response.statusCode() + ": " + response.body());
        }
        return Optional.of(JSON.readTree(response.body()));
    }
}
