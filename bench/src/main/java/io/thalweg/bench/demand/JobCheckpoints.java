package io.thalweg.bench.demand;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.live.FlinkApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Flink's own statistics of the job: completed checkpoints and bytes on the network.
 *
 * <p><b>Threads.</b> One.
 */
public final class JobCheckpoints {
    private static final Pattern LISTENING = Pattern.compile("Rest endpoint listening at ([^ \\s]+:\\d+)");

    /**
     * A completed checkpoint.
     *
     * @param stateBytes the size of the state, as Flink reports it
     * @param fileBytes the size of its folder
     * @param pauseMs the longest that a subtask was paused for it
     */
    public record Checkpoint(long triggeredMs, long stateBytes, long fileBytes, long durationMs, long pauseMs) {}

    private static final int WALKS = 5;

    private final FlinkApi api;
    private final String job;
    private final Path folder;
    /** By number. */
    private final Map<Long, Checkpoint> checkpoints = new TreeMap<>();

    private JobCheckpoints(FlinkApi api, String job, Path folder) {
        this.api = api;
        this.job = job;
        this.folder = folder;
    }

    /**
     * Returns the endpoint that a log names; empty while it names none, does not answer yet, or there is no job.
     *
     * @param secret of the process, as its {@code THALWEG_REST_SECRET}
     */
    static Optional<JobCheckpoints> find(Path log, String secret, Path checkpoints)
            throws IOException, InterruptedException {
        if (!Files.exists(log)) {
            return Optional.empty();
        }
        // The last match, because an earlier process may have written to the same log.
        Optional<String> listening = LISTENING
                .matcher(Files.readString(log))
                .results()
                .map(found -> found.group(1))
                .reduce((earlier, later) -> later);
        if (listening.isEmpty()) {
            return Optional.empty();
        }
        FlinkApi api = new FlinkApi(URI.create("http://" + listening.get()), Optional.of(secret));
        // It listens before it has found its dispatcher, and then answers 503.
        JsonNode jobs = api.get("/jobs").path("jobs");
        return jobs.isEmpty()
                ? Optional.empty()
                : Optional.of(new JobCheckpoints(api, jobs.path(0).path("id").asText(), checkpoints));
    }

    /**
     * Returns the bytes that tasks have written to the network so far, that is, between operators that are not chained.
     *
     * @param name a part of the names of their operators, in lower case
     */
    long networkBytes(String name) throws IOException, InterruptedException {
        long bytes = 0;
        for (JsonNode vertex : api.get("/jobs/" + job).path("vertices")) {
            if (vertex.path("name").asText().toLowerCase(Locale.ROOT).contains(name)) {
                bytes += vertex.path("metrics").path("write-bytes").asLong();
            }
        }
        return bytes;
    }

    /** Records the checkpoints that have completed since the last call. */
    public void look() throws IOException, InterruptedException {
        for (JsonNode each : api.get("/jobs/" + job + "/checkpoints").path("history")) {
            long id = each.path("id").asLong();
            if (each.path("status").asText().equals("COMPLETED") && !checkpoints.containsKey(id)) {
                checkpoints.put(
                        id,
                        new Checkpoint(
                                each.path("trigger_timestamp").asLong(),
                                each.path("state_size").asLong(),
                                fileBytes(id),
                                each.path("end_to_end_duration").asLong(),
                                pauseMs(id, each.path("tasks"))));
            }
        }
    }

    private long pauseMs(long id, JsonNode tasks) throws IOException, InterruptedException {
        long pause = 0;
        for (Iterator<String> vertex = tasks.fieldNames(); vertex.hasNext(); ) {
            JsonNode subtasks = api.get("/jobs/" + job + "/checkpoints/details/" + id + "/subtasks/" + vertex.next());
            pause = Math.max(
                    pause,
                    subtasks.path("summary")
                            .path("checkpoint_duration")
                            .path("sync")
                            .path("max")
                            .asLong());
        }
        return pause;
    }

    /** Returns the bytes in the folder of a checkpoint; 0 if it has been replaced already. */
    private long fileBytes(long id) throws IOException {
        for (int walk = 0; walk < WALKS; walk++) {
            try (Stream<Path> files = Files.walk(folder)) {
                return files.filter(file -> file.resolveSibling("").endsWith("chk-" + id))
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            } catch (UncheckedIOException e) {
                // Another checkpoint was deleted meanwhile.
            }
        }
        return 0;
    }

    /** Returns the recorded checkpoints that were triggered in a time span, the first one first. */
    public List<Checkpoint> checkpoints(long fromMs, long toMs) {
        return checkpoints.values().stream()
                .filter(checkpoint -> checkpoint.triggeredMs >= fromMs && checkpoint.triggeredMs < toMs)
                .toList();
    }
}
