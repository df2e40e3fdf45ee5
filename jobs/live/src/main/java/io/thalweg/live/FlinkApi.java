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
 * A client of Flink's REST interface.
 *
 * <p><b>Errors.</b> {@link IOException} if the cluster does not answer, or answers with an error.
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
    private final Optional<String> secret;

    /**
     * Creates a client of one cluster.
     *
     * @param rest such as {@code http://localhost:8081}
     */
    public FlinkApi(URI rest) {
        this(rest, Optional.empty());
    }

    /**
     * Creates a client of a cluster that requires a bearer token.
     *
     * @param secret sent with every request
     */
    public FlinkApi(URI rest, Optional<String> secret) {
        this.rest = rest;
        this.secret = secret;
    }

    /** Returns the address of the REST interface. */
    public URI uri() {
        return rest;
    }

    /** Whether a job of this state will not run again. */
    public static boolean isOver(String state) {
        return OVER.contains(state);
    }

    /** Returns the ids of the jobs of a name that run or try to. */
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

    /** Reads a path. */
    public JsonNode get(String path) throws IOException, InterruptedException {
        return find(path).orElseThrow(() -> new IOException(rest.resolve(path) + " answers 404"));
    }

    /** Reads a path; empty if the cluster answers 404. */
    public Optional<JsonNode> find(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(resource(path)));
    }

    private URI resource(String path) {
        if (!path.startsWith("/") || path.startsWith("//")) { // the latter would send the secret to another host
            throw new IllegalArgumentException("path must begin with one '/', such as /jobs, was " + path);
        }
        return rest.resolve(path);
    }

    /** Requests an action and returns its result. */
    public JsonNode post(String path, JsonNode body) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(resource(path))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString())))
                .orElseThrow(() -> new IOException(rest.resolve(path) + " answers 404"));
    }

    private Optional<JsonNode> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        secret.ifPresent(token -> request.setHeader("Authorization", "Bearer " + token));
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
