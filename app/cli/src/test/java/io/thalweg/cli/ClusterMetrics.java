package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.live.FlinkApi;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The metrics of a Flink cluster that {@code deploy/} queries from Prometheus, by the names that Flink's documentation specifies for its
 * reporter. The reporter itself does not run here, because it listens on all addresses.
 */
public final class ClusterMetrics {
    private static final String OF_CLUSTER = "flink_jobmanager_";
    private static final String OF_JOB = "flink_jobmanager_job_";
    private static final String OF_WORKER = "flink_taskmanager_";
    private static final String OF_TASK = "flink_taskmanager_job_task_";
    private static final String OF_OPERATOR = "flink_taskmanager_job_task_operator_";

    /** The metrics that each job of {@code run} has from its start. */
    public static final Set<String> OF_RUN = Set.of(
            OF_CLUSTER + "numRunningJobs",
            OF_JOB + "numRestarts",
            OF_JOB + "numberOfFailedCheckpoints",
            OF_JOB + "lastCheckpointCompletedTimestamp",
            OF_JOB + "lastCheckpointDuration",
            OF_JOB + "lastCheckpointSize",
            OF_WORKER + "Status_JVM_Memory_Heap_Used",
            OF_WORKER + "Status_JVM_Memory_Heap_Max",
            OF_WORKER + "Status_JVM_GarbageCollector_All_Time",
            OF_TASK + "backPressuredTimeMsPerSecond",
            OF_TASK + "busyTimeMsPerSecond",
            OF_TASK + "currentInputWatermark",
            OF_OPERATOR + "pendingRecords",
            OF_OPERATOR + "thalweg_view_outcome_events",
            OF_OPERATOR + "thalweg_view_rows");

    /** The metrics that a job has from its first bad event on, and those of {@code publish}. */
    private static final Set<String> OTHERS = Set.of(
            OF_OPERATOR + "thalweg_view_reason_bad_events",
            OF_OPERATOR + "thalweg_view_reason_dead_letters",
            OF_OPERATOR + "thalweg_view_loaded_rows",
            OF_OPERATOR + "thalweg_view_writes",
            OF_OPERATOR + "thalweg_view_write_nanos");

    private static final Pattern SUBTASK = Pattern.compile("\\d+\\.(.*)");
    /** Names and values of groups alternate; the reporter turns them into labels. */
    private static final Pattern OF_VIEW =
            Pattern.compile(".*\\.thalweg\\.view\\.[^.]+((?:\\.(?:outcome|reason)\\.[^.]+)?)\\.([^.]+)");

    private ClusterMetrics() {}

    /** All metrics. */
    static Set<String> prometheusNames() {
        return Stream.concat(OF_RUN.stream(), OTHERS.stream()).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the metrics that the REST API of a cluster lists. */
    public static Set<String> of(FlinkApi flink) throws IOException, InterruptedException {
        Set<String> names = new HashSet<>();
        ids(flink, "/jobmanager/metrics").forEach(id -> names.add(OF_CLUSTER + id));
        for (JsonNode worker : flink.get("/taskmanagers").path("taskmanagers")) {
            ids(flink, "/taskmanagers/" + worker.path("id").asText() + "/metrics")
                    .forEach(id -> names.add(OF_WORKER + id.replace('.', '_')));
        }
        for (JsonNode job : flink.get("/jobs").path("jobs")) {
            String path = "/jobs/" + job.path("id").asText();
            ids(flink, path + "/metrics").forEach(id -> names.add(OF_JOB + id));
            for (JsonNode vertex : flink.get(path).path("vertices")) {
                ids(flink, path + "/vertices/" + vertex.path("id").asText() + "/metrics")
                        .forEach(id -> names.add(ofSubtask(id)));
            }
        }
        return names;
    }

    private static String ofSubtask(String id) {
        Matcher subtask = SUBTASK.matcher(id);
        String name = subtask.matches() ? subtask.group(1) : id;
        Matcher view = OF_VIEW.matcher(name);
        if (view.matches()) {
            String group = view.group(1).isEmpty() ? "" : view.group(1).split("\\.", -1)[1] + "_";
            return OF_OPERATOR + "thalweg_view_" + group + view.group(2);
        }
        int operator = name.lastIndexOf('.');
        return operator < 0 ? OF_TASK + name : OF_OPERATOR + name.substring(operator + 1);
    }

    private static List<String> ids(FlinkApi flink, String path) throws IOException, InterruptedException {
        return flink.get(path).findValuesAsText("id");
    }
}
