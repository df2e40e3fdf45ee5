package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.thalweg.cli.UserError;
import io.thalweg.live.FlinkApi;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a Flink cluster: finds, watches and stops them.
 *
 * <p><b>Errors.</b> {@link IOException} while the cluster does not answer.
 */
final class ClusterJobs {
    /** One look at a job. */
    record Job(
            String id,
            String state,
            int tasks,
            int runningTasks,
            int restarts,
            @Nullable Checkpoint checkpoint) {
        boolean isOver() {
            return FlinkApi.isOver(state);
        }
    }

    /** The newest completed checkpoint. */
    record Checkpoint(long id, long completedAtMs, long durationMs, long bytes) {}

    private static final long LOOK_MS = 200;

    private final FlinkApi api;

    ClusterJobs(URI rest) {
        this.api = new FlinkApi(rest);
    }

    /** The error for a cluster that does not answer. */
    UserError unreachable(Throwable cause) {
        return UserError.failed(
                        "the Flink cluster at " + api.uri() + " does not answer",
                        "start it (deploy/local-cluster/cluster.sh start runs one here), or correct flink.rest in thalweg.yaml")
                .causedBy(cause);
    }

    /** The id of the job of this name that runs or tries to. */
    Optional<String> running(String name) throws IOException, InterruptedException {
        return api.running(name).stream().findFirst();
    }

    /** How a job does; nothing if the cluster does not know it (any more). */
    Optional<Job> job(String id) throws IOException, InterruptedException {
        Optional<JsonNode> found = api.find("/jobs/" + id);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        JsonNode job = found.get();
        int tasks = 0;
        int running = 0;
        for (JsonNode vertex : job.path("vertices")) {
            tasks += vertex.path("parallelism").asInt();
            running += vertex.path("tasks").path("RUNNING").asInt();
        }
        int restarts = api.get("/jobs/" + id + "/metrics?get=numRestarts")
                .path(0)
                .path("value")
                .asInt();
        JsonNode completed =
                api.get("/jobs/" + id + "/checkpoints").path("latest").path("completed");
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
        JsonNode body = JsonNodeFactory.instance
                .objectNode()
                .put("targetDirectory", savepoints.toAbsolutePath().toUri().toString())
                .put("drain", false)
                .put("formatType", "NATIVE");
        String trigger =
                api.post("/jobs/" + id + "/stop", body).path("request-id").asText();
        JsonNode status = api.get("/jobs/" + id + "/savepoints/" + trigger);
        while (!status.path("status").path("id").asText().equals("COMPLETED")) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            status = api.get("/jobs/" + id + "/savepoints/" + trigger);
        }
        JsonNode failure = status.path("operation").path("failure-cause");
        if (!failure.isMissingNode()) {
            throw UserError.failed(
                    "job " + id + " took no savepoint and runs on: " + firstLine(failure),
                    "try again when it has all its tasks, or cancel it in Flink's own page: " + api.uri());
        }
    }

    private static String firstLine(JsonNode failure) {
        return failure.path("stack-trace")
                .asText(failure.path("class").asText())
                .lines()
                .findFirst()
                .orElse("");
    }
}
