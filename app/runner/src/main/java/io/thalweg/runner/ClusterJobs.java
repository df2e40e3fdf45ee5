package io.thalweg.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.thalweg.jobs.StatePath;
import io.thalweg.live.FlinkApi;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds, watches and stops the jobs of a Flink cluster.
 *
 * <p><b>Errors.</b> {@link IOException} if the cluster does not answer.
 */
public final class ClusterJobs {
    /** A snapshot of a job. */
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
    private static final long RETRY_MS = 1_000;
    private static final int PATIENCE_SECONDS = 60;

    private final FlinkApi api;

    ClusterJobs(URI rest) {
        this.api = new FlinkApi(rest);
    }

    /** Creates the error for a cluster that does not answer, or not as expected. */
    UserError unreachable(Throwable cause) {
        String reason =
                cause instanceof ConnectException || cause.getMessage() == null ? "" : ": " + cause.getMessage();
        return UserError.failed(
                        "the Flink cluster at " + api.uri() + " does not answer" + reason,
                        "start it (deploy/local-cluster/cluster.sh start runs one here), or correct flink.rest in thalweg.yaml")
                .causedBy(cause);
    }

    /**
     * Returns the id of the job of this name that is running or restarting. Fails at once if nothing listens; retries if the cluster is
     * slow to answer.
     */
    Optional<String> running(String name) throws IOException, InterruptedException {
        return patiently(() -> api.running(name), ClusterJobs::isAbsent).stream()
                .findFirst();
    }

    private static boolean isAbsent(IOException e) {
        return e instanceof ConnectException || e instanceof HttpConnectTimeoutException;
    }

    /** Returns the state of a job; empty if the cluster does not know it, or not any more. */
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

    /**
     * Stops a job with a savepoint below a folder and waits for it. Retries for up to {@value #PATIENCE_SECONDS} s if the cluster does not
     * answer, such as while another JobManager takes over.
     */
    void stop(String id, StatePath savepoints) throws IOException, InterruptedException {
        // The same trigger id may be sent again: Flink then answers for the operation in progress.
        String trigger = UUID.randomUUID().toString().replace("-", "");
        JsonNode body = JsonNodeFactory.instance
                .objectNode()
                .put("targetDirectory", savepoints.uri())
                .put("drain", false)
                .put("formatType", "NATIVE")
                .put("triggerId", trigger);
        JsonNode unused = patiently(() -> api.post("/jobs/" + id + "/stop", body));
        while (true) {
            Optional<JsonNode> status = patiently(() -> api.find("/jobs/" + id + "/savepoints/" + trigger));
            if (status.isEmpty()) { // a JobManager that took over does not know the operations of its predecessor
                if (patiently(() -> job(id)).map(Job::isOver).orElse(true)) {
                    return;
                }
                unused = patiently(() -> api.post("/jobs/" + id + "/stop", body));
            } else if (status.get().path("status").path("id").asText().equals("COMPLETED")) {
                requireSavepoint(id, status.get().path("operation").path("failure-cause"));
                return;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    private void requireSavepoint(String id, JsonNode failure) {
        if (!failure.isMissingNode()) {
            throw UserError.failed(
                    "job " + id + " took no savepoint and runs on: " + firstLine(failure),
                    "try again when it has all its tasks, or cancel it in Flink's own page: " + api.uri());
        }
    }

    private interface Request<T> {
        T send() throws IOException, InterruptedException;
    }

    private static <T> T patiently(Request<T> request) throws IOException, InterruptedException {
        return patiently(request, failure -> false);
    }

    /** Retries an idempotent request until it is answered, fails permanently, or times out. */
    private static <T> T patiently(Request<T> request, Predicate<IOException> forGood)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            try {
                return request.send();
            } catch (IOException e) {
                if (forGood.test(e) || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(RETRY_MS);
            }
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
