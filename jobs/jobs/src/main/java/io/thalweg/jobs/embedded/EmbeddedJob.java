package io.thalweg.jobs.embedded;

import io.thalweg.jobs.StatePath;
import io.thalweg.live.FlinkApi;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.scheduler.ExecutionGraphInfo;
import org.apache.flink.runtime.scheduler.exceptionhistory.RootExceptionHistoryEntry;
import org.jspecify.annotations.Nullable;

/**
 * A job of this process as its scheduler sees it.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class EmbeddedJob {
    private static final long TIMEOUT_SECONDS = 5;

    private final MiniCluster cluster;
    private final JobID id;
    private final String secret;
    private @Nullable FlinkApi rest;

    EmbeddedJob(MiniCluster cluster, JobID id, String secret) {
        this.cluster = cluster;
        this.id = id;
        this.secret = secret;
    }

    /**
     * A snapshot of the job.
     *
     * @param runningSinceMs when it last switched to RUNNING, epoch ms; 0 before the first time
     * @param failures the most recent failures that made it restart or fail, oldest first
     */
    public record Snapshot(JobStatus status, long runningSinceMs, List<Failure> failures, Checkpoints checkpoints) {
        public Snapshot {
            failures = List.copyOf(failures);
        }
    }

    /** A failure and its time, epoch ms. */
    public record Failure(long atMs, Throwable cause) {}

    /**
     * Checkpoints and savepoints of the job.
     *
     * @param lastCompletedMs when the newest one completed, epoch ms; 0 = there is none
     */
    public record Checkpoints(long completed, long failed, long lastCompletedMs, long lastDurationMs, long lastBytes) {
        /** No checkpoints yet. */
        public static final Checkpoints NONE = new Checkpoints(0, 0, 0, 0, 0);
    }

    /**
     * Triggers a checkpoint and waits for it. All tasks of the job must be running.
     *
     * @return the checkpoint's folder
     * @throws ExecutionException if the checkpoint fails, for example because some tasks are not running yet
     */
    public StatePath checkpoint() throws InterruptedException, ExecutionException {
        return StatePath.of(cluster.triggerCheckpoint(id).get());
    }

    /**
     * Returns the read-only REST API of the job's cluster: checkpoints, back-pressure, metrics; see {@link RestGuard}.
     *
     * @throws IOException if the endpoint is not up (yet)
     */
    public synchronized FlinkApi rest() throws IOException, InterruptedException {
        FlinkApi known = rest;
        if (known == null) {
            known = new FlinkApi(address(), Optional.of(secret));
            rest = known;
        }
        return known;
    }

    private URI address() throws IOException, InterruptedException {
        try {
            return cluster.getRestAddress().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | IllegalStateException e) {
            throw new IOException("Flink's REST endpoint is not up", e);
        }
    }

    /** Returns the current state of the job; null if the cluster does not answer, for example while it stops. */
    public @Nullable Snapshot look() throws InterruptedException {
        try {
            return snapshot(cluster.getExecutionGraphInfo(id).get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException | IllegalStateException e) {
            return null;
        }
    }

    private static Snapshot snapshot(ExecutionGraphInfo info) {
        ArchivedExecutionGraph graph = info.getArchivedExecutionGraph();
        List<Failure> failures = new ArrayList<>();
        for (RootExceptionHistoryEntry entry : info.getExceptionHistory()) {
            Throwable cause = entry.getException().deserializeError(EmbeddedJob.class.getClassLoader());
            failures.add(new Failure(entry.getTimestamp(), cause));
        }
        return new Snapshot(
                graph.getState(),
                graph.getStatusTimestamp(JobStatus.RUNNING),
                failures,
                checkpoints(graph.getCheckpointStatsSnapshot()));
    }

    private static Checkpoints checkpoints(@Nullable CheckpointStatsSnapshot stats) {
        if (stats == null) {
            return Checkpoints.NONE;
        }
        long completed = stats.getCounts().getNumberOfCompletedCheckpoints();
        long failed = stats.getCounts().getNumberOfFailedCheckpoints();
        CompletedCheckpointStats last = stats.getHistory().getLatestCompletedCheckpoint();
        return last == null
                ? new Checkpoints(completed, failed, 0, 0, 0)
                : new Checkpoints(
                        completed,
                        failed,
                        last.getLatestAckTimestamp(),
                        last.getEndToEndDuration(),
                        last.getStateSize());
    }
}
