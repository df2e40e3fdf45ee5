package io.thalweg.live.inspect;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.live.FlinkApi;
import io.thalweg.live.inspect.JobState.Checkpoint;
import io.thalweg.live.inspect.JobState.CheckpointFailure;
import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.live.inspect.JobState.Worker;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a cluster or of this process, as Flink's REST interface reports them.
 *
 * <p><b>Age.</b> Flink gathers the metrics of tasks every {@code metrics.fetcher.update-interval}, so figures can be that old. All times of a
 * subtask are of the same moment: their differences add up to the time between two states.
 */
public final class FlinkInspection implements JobInspection {
    private static final String BUSY = "accumulateBusyTimeMs";
    private static final String BACK_PRESSURED = "accumulateBackPressuredTimeMs";
    private static final String IDLE = "accumulateIdleTimeMs";
    private static final String RECORDS_IN = "numRecordsIn";
    private static final String RECORDS_OUT = "numRecordsOut";
    private static final List<String> TASK = List.of(BUSY, BACK_PRESSURED, IDLE, RECORDS_IN, RECORDS_OUT);

    private static final String GC_TIME = "Status.JVM.GarbageCollector.All.Time";
    private static final String CPU_TIME = "Status.JVM.CPU.Time";
    private static final String HEAP_USED = "Status.JVM.Memory.Heap.Used";
    private static final String HEAP_MAX = "Status.JVM.Memory.Heap.Max";
    private static final List<String> PROCESS = List.of(GC_TIME, CPU_TIME, HEAP_USED, HEAP_MAX);

    /** The length of metric names in one request: Flink reads request lines of up to 4,096 characters. */
    private static final int AT_ONCE = 3_000;

    private final FlinkApi flink;
    private final InstantSource clock;

    /** Creates an inspection of the jobs of one cluster. */
    public FlinkInspection(FlinkApi flink, InstantSource clock) {
        this.flink = flink;
        this.clock = clock;
    }

    @Override
    public List<JobState> jobs() throws IOException, InterruptedException {
        List<Worker> workers = workers();
        List<JobState> jobs = new ArrayList<>();
        for (JsonNode job : flink.get("/jobs/overview").path("jobs")) {
            if (job.path("state").asText().equals("RUNNING")) {
                jobs.add(job(job.path("jid").asText(), workers));
            }
        }
        return jobs;
    }

    private JobState job(String id, List<Worker> workers) throws IOException, InterruptedException {
        String path = "/jobs/" + id;
        JsonNode job = flink.get(path);
        Map<String, List<String>> inputs = inputs(job.path("plan"));
        List<Stage> stages = new ArrayList<>();
        for (JsonNode vertex : job.path("vertices")) {
            stages.add(stage(path, vertex, inputs));
        }
        long restarts = number(values(path + "/metrics", List.of("numRestarts")), "numRestarts");
        return new JobState(
                id, job.path("name").asText(), clock.millis(), restarts, stages, checkpoints(path), workers);
    }

    /** Maps the id of each vertex to the ids of its inputs. */
    private static Map<String, List<String>> inputs(JsonNode plan) {
        Map<String, List<String>> inputs = new HashMap<>();
        for (JsonNode node : plan.path("nodes")) {
            List<String> from = new ArrayList<>();
            node.path("inputs").forEach(input -> from.add(input.path("id").asText()));
            inputs.put(node.path("id").asText(), from);
        }
        return inputs;
    }

    private Stage stage(String job, JsonNode vertex, Map<String, List<String>> inputs)
            throws IOException, InterruptedException {
        String id = vertex.path("id").asText();
        String metrics = job + "/vertices/" + id + "/metrics";
        WorkMetrics work = work(metrics);
        List<Subtask> subtasks = subtasks(metrics, vertex.path("parallelism").asInt(), work);
        return new Stage(id, vertex.path("name").asText(), inputs.getOrDefault(id, List.of()), subtasks, work.work());
    }

    private WorkMetrics work(String metrics) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (JsonNode metric : flink.get(metrics)) {
            String name = metric.path("id").asText();
            if (WorkMetrics.isWork(name)) {
                names.add(name);
            }
        }
        WorkMetrics work = new WorkMetrics();
        Map<String, String> values = values(metrics, names);
        names.forEach(name -> work.add(name, number(values, name)));
        return work;
    }

    private List<Subtask> subtasks(String metrics, int parallelism, WorkMetrics work)
            throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            for (String name : TASK) {
                names.add(subtask + "." + name);
            }
        }
        Map<String, String> values = values(metrics, names);
        List<Subtask> subtasks = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            String prefix = subtask + ".";
            subtasks.add(new Subtask(
                    number(values, prefix + BUSY),
                    number(values, prefix + BACK_PRESSURED),
                    number(values, prefix + IDLE),
                    number(values, prefix + RECORDS_IN),
                    number(values, prefix + RECORDS_OUT),
                    work.task(subtask),
                    work.fetcher(subtask)));
        }
        return subtasks;
    }

    private Checkpoints checkpoints(String job) throws IOException, InterruptedException {
        JsonNode all = flink.find(job + "/checkpoints").orElse(null);
        if (all == null) {
            return new Checkpoints(0, 0, 0);
        }
        long completed = all.path("counts").path("completed").asLong();
        double mean =
                all.path("summary").path("end_to_end_duration").path("avg").asDouble();
        return new Checkpoints(
                flink.get(job + "/checkpoints/config").path("interval").asLong(),
                completed,
                Math.round(completed * mean),
                all.path("counts").path("failed").asLong(),
                completed(all.path("latest").path("completed")),
                failed(all.path("latest").path("failed")));
    }

    private static @Nullable Checkpoint completed(JsonNode latest) {
        return latest.isObject()
                ? new Checkpoint(
                        latest.path("latest_ack_timestamp").asLong(),
                        latest.path("end_to_end_duration").asLong(),
                        latest.path("state_size").asLong())
                : null;
    }

    private static @Nullable CheckpointFailure failed(JsonNode latest) {
        return latest.isObject()
                ? new CheckpointFailure(
                        latest.path("failure_timestamp").asLong(),
                        latest.path("failure_message").asText(""))
                : null;
    }

    private List<Worker> workers() throws IOException, InterruptedException {
        List<Worker> workers = new ArrayList<>();
        for (JsonNode worker : flink.get("/taskmanagers").path("taskmanagers")) {
            String id = worker.path("id").asText();
            Map<String, String> values = values("/taskmanagers/" + id + "/metrics", PROCESS);
            workers.add(new Worker(
                    id,
                    worker.path("hardware").path("cpuCores").asInt(),
                    number(values, CPU_TIME) / 1_000_000,
                    number(values, GC_TIME),
                    number(values, HEAP_USED),
                    number(values, HEAP_MAX)));
        }
        return workers;
    }

    private Map<String, String> values(String metrics, List<String> names) throws IOException, InterruptedException {
        Map<String, String> values = new HashMap<>();
        StringBuilder some = new StringBuilder();
        for (String name : names) {
            if (some.length() + name.length() > AT_ONCE) {
                fetch(metrics, some, values);
                some.setLength(0);
            }
            some.append(some.isEmpty() ? "" : ",").append(name);
        }
        if (!some.isEmpty()) {
            fetch(metrics, some, values);
        }
        return values;
    }

    private void fetch(String metrics, CharSequence names, Map<String, String> values)
            throws IOException, InterruptedException {
        String query = URLEncoder.encode(names.toString(), StandardCharsets.UTF_8);
        for (JsonNode metric : flink.get(metrics + "?get=" + query)) {
            values.put(metric.path("id").asText(), metric.path("value").asText());
        }
    }

    /** Returns the value of a metric; 0 if Flink does not know it (yet). */
    private static long number(Map<String, String> values, String name) {
        String value = values.get(name);
        return value == null || value.equals("NaN") ? 0 : (long) Double.parseDouble(value);
    }
}
