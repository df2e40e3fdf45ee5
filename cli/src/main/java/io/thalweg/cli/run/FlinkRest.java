package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.cli.UserError;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What we ask of a Flink cluster beyond submitting a job: which one runs, how it does, and to stop it.
 *
 * <p><b>Errors.</b> {@link IOException} while the cluster does not answer.
 */
final class FlinkRest {
    /** One look at a job. */
    record Job(
            String id,
            String state,
            int tasks,
            int runningTasks,
            int restarts,
            @Nullable Checkpoint checkpoint) {
        boolean isOver() {
            return OVER.contains(state);
        }
    }

    /** The newest completed checkpoint. */
    record Checkpoint(long id, long completedAtMs, long durationMs, long bytes) {}

    private static final Set<String> OVER = Set.of("FINISHED", "CANCELED", "FAILED", "SUSPENDED");
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long LOOK_MS = 200;
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final URI rest;

    FlinkRest(URI rest) {
        this.rest = rest;
    }

    /** The error for a cluster that does not answer. */
    UserError unreachable(Throwable cause) {
        return UserError.failed(
                        "the Flink cluster at " + rest + " does not answer",
                        "start it (deploy/local-cluster/cluster.sh start runs one here), or correct flink.rest in thalweg.yaml")
                .causedBy(cause);
    }

    /** The id of the job of this name that runs or tries to. */
    Optional<String> running(String name) throws IOException, InterruptedException {
        for (JsonNode job : get("/jobs/overview").path("jobs")) {
            if (job.path("name").asText().equals(name)
                    && !OVER.contains(job.path("state").asText())) {
                return Optional.of(job.path("jid").asText());
            }
        }
        return Optional.empty();
    }

    /** How a job does; nothing if the cluster does not know it (any more). */
    Optional<Job> job(String id) throws IOException, InterruptedException {
        HttpResponse<String> response = send(HttpRequest.newBuilder(rest.resolve("/jobs/" + id)));
        if (response.statusCode() == 404) {
            return Optional.empty();
        }
        JsonNode job = json(response);
        int tasks = 0;
        int running = 0;
        for (JsonNode vertex : job.path("vertices")) {
            tasks += vertex.path("parallelism").asInt();
            running += vertex.path("tasks").path("RUNNING").asInt();
        }
        int restarts = get("/jobs/" + id + "/metrics?get=numRestarts")
                .path(0)
                .path("value")
                .asInt();
        JsonNode completed = get("/jobs/" + id + "/checkpoints").path("latest").path("completed");
        Checkpoint checkpoint = completed.isObject()
                ? new Checkpoint(
                        completed.path("id").asLong(),
                        completed.path("latest_ack_timestamp").asLong(),
                        completed.path("end_to_end_duration").asLong(),
                        completed.path("state_size").asLong())
                : null;
        return Optional.of(new Job(id, job.path("state").asText(), tasks, running, restarts, checkpoint));
    }

    /** Stops a job with a savepoint below a folder and waits for it. */
    void stop(String id, Path savepoints) throws IOException, InterruptedException {
        String body = JSON.createObjectNode()
                .put("targetDirectory", savepoints.toAbsolutePath().toUri().toString())
                .put("drain", false)
                .put("formatType", "NATIVE")
                .toString();
        String trigger = json(send(HttpRequest.newBuilder(rest.resolve("/jobs/" + id + "/stop"))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))))
                .path("request-id")
                .asText();
        JsonNode status = get("/jobs/" + id + "/savepoints/" + trigger);
        while (!status.path("status").path("id").asText().equals("COMPLETED")) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            status = get("/jobs/" + id + "/savepoints/" + trigger);
        }
        JsonNode failure = status.path("operation").path("failure-cause");
        if (!failure.isMissingNode()) {
            throw UserError.failed(
                    "job " + id + " took no savepoint and runs on: " + firstLine(failure),
                    "try again when it has all its tasks, or cancel it in Flink's own page: " + rest);
        }
    }

    private static String firstLine(JsonNode failure) {
        return failure.path("stack-trace")
                .asText(failure.path("class").asText())
                .lines()
                .findFirst()
                .orElse("");
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        return json(send(HttpRequest.newBuilder(rest.resolve(path))));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> response) throws IOException {
        if (response.statusCode() / 100 != 2) {
            throw new IOException(response.uri() + " answers " + response.statusCode() + ": " + response.body());
        }
        return JSON.readTree(response.body());
    }
}
