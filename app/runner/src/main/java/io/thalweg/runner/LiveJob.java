package io.thalweg.runner;

import io.thalweg.jobs.ClusterFlink;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.jobs.embedded.EmbeddedEnvironment;
import io.thalweg.jobs.embedded.EmbeddedJob;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.client.JobCancellationException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job that runs until it is stopped, in this process or on a cluster. */
public final class LiveJob {
    private static final Logger LOG = LoggerFactory.getLogger(LiveJob.class);
    private static final long SAVEPOINT_SECONDS = 20;
    private static final Duration STOP_PATIENCE = Duration.ofMinutes(2);
    private static final long STOP_RETRY_MS = 100;

    private final String id;
    private final JobClient client;
    private final @Nullable EmbeddedJob embedded;
    private final RunFolder run;
    private final @Nullable StatePath resumedFrom;
    private final CheckpointFolder checkpoints;

    private LiveJob(
            String id,
            JobClient client,
            @Nullable EmbeddedJob embedded,
            CheckpointFolder checkpoints,
            RunFolder run,
            @Nullable StatePath resumedFrom) {
        this.id = id;
        this.client = client;
        this.embedded = embedded;
        this.run = run;
        this.resumedFrom = resumedFrom;
        this.checkpoints = checkpoints;
    }

    /** Returns a new id for the objects that the job shares with this process. */
    public static String newId() {
        return UUID.randomUUID().toString();
    }

    /**
     * Checks the views against the checkpoint that a start would resume from, before anything is opened. Changes that are not
     * refused are logged as warnings, which {@code --quiet} does not hide.
     *
     * @throws UserError if a view has changed so that the checkpoint's state no longer fits
     */
    static void check(JobPlan plan, String resume) {
        CheckpointFolder checkpoints = plan.checkpoints();
        checkpoints
                .check(checkpoints.resumeFrom(resume, plan.work().names()), plan.overEvents())
                .forEach(LOG::warn);
    }

    /** Starts a job in this process. */
    static LiveJob start(String id, JobPlan plan, int parallelism, String resume) {
        return start(id, plan, resume, (run, from) -> {
            Duration every = plan.work().every().duration();
            return plan.work().ends()
                    ? EmbeddedFlink.ending(parallelism, run, every, from)
                    : EmbeddedFlink.live(parallelism, run, every, from);
        });
    }

    /** Sends a job to a cluster. */
    static LiveJob submit(JobPlan plan, URI rest, int parallelism, String resume) {
        return start(newId(), plan, resume, (run, from) -> {
            try {
                return ClusterFlink.live(
                        rest,
                        parallelism,
                        run,
                        plan.work().every().duration(),
                        from,
                        plan.work().needed());
            } catch (IOException e) {
                throw UserError.failed("the job cannot be sent to a cluster: " + e.getMessage(), "")
                        .causedBy(e);
            }
        });
    }

    /** Creates the environment that runs the job, given the folder of its checkpoints and the one to resume from. */
    private interface Target {
        StreamExecutionEnvironment environment(StatePath run, @Nullable StatePath resumeFrom);
    }

    private static LiveJob start(String id, JobPlan plan, String resume, Target target) {
        CheckpointFolder checkpoints = plan.checkpoints();
        StatePath resumeFrom = checkpoints.resumeFrom(resume, plan.work().names());
        checkpoints.forgetBefore(plan.work().names(), resumeFrom);
        Map<String, String> sources = checkpoints.sources(resumeFrom, plan.overEvents());
        RunFolder run = checkpoints.newRun(
                plan.work().names(), plan.overEvents(), SourceNames.of(plan.overEvents(), sources), id, resumeFrom);
        StreamExecutionEnvironment environment = target.environment(run.path(), resumeFrom);
        plan.work().addTo(environment, new JobWork.Start(id, resumeFrom != null, sources, checkpoints));
        JobClient client = Jobs.submit(environment, plan.name());
        EmbeddedJob embedded = environment instanceof EmbeddedEnvironment here ? here.job(client) : null;
        return new LiveJob(id, client, embedded, checkpoints, run, resumeFrom);
    }

    JobMetrics metrics() {
        return JobMetrics.of(id);
    }

    /** Returns a line that reports which checkpoint the job resumed from. */
    String beginning() {
        return resumedFrom == null ? "starting without a checkpoint" : "resuming from " + resumedFrom;
    }

    /** Whether the job resumed from a checkpoint. */
    boolean isResumed() {
        return resumedFrom != null;
    }

    /** The job in the scheduler of this process. Only for jobs of this process. */
    EmbeddedJob embedded() {
        return Objects.requireNonNull(embedded, "the job runs on a cluster");
    }

    /** The folder of its checkpoints. */
    RunFolder run() {
        return run;
    }

    /** Flink's id of the job. */
    String flinkId() {
        return client.getJobID().toHexString();
    }

    /** Throws the failure that ended the job, if it failed. Call this when the job is over. */
    void failIfFailed() throws InterruptedException {
        try {
            client.getJobExecutionResult().get(SAVEPOINT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof JobCancellationException)) {
                throw Jobs.failure(e.getCause());
            }
        } catch (TimeoutException e) {
            throw Jobs.failure(e);
        }
    }

    /** Completes when the job ends; exceptionally if it failed permanently. */
    CompletableFuture<?> ended() {
        return client.getJobExecutionResult().whenComplete((result, failure) -> {
            if (Jobs.isRefusedCheckpoint(failure)) {
                checkpoints.forgetUnlessBegun(run);
            }
        });
    }

    private CompletableFuture<String> savepoint() {
        try {
            return client.stopWithSavepoint(false, run.path().uri(), SavepointFormatType.NATIVE);
        } catch (IllegalStateException e) {
            // The job has ended, and with it its cluster in this process.
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Stops the job with a savepoint, from which the next start resumes, however long that takes. Retries for a while if the job is
     * starting or restarting. Throws the failure of the savepoint or of the job.
     */
    void stopWithSavepoint() throws InterruptedException {
        long deadline = System.nanoTime() + STOP_PATIENCE.toNanos();
        while (true) {
            try {
                savepoint().get();
                return;
            } catch (ExecutionException e) {
                requireRunning();
                if (System.nanoTime() > deadline) {
                    throw Jobs.failure(e.getCause());
                }
            }
        }
    }

    /** Throws the failure that has ended the job. */
    private void requireRunning() throws InterruptedException {
        try {
            ended().get(STOP_RETRY_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Jobs.failure(e.getCause());
        } catch (TimeoutException e) {
            // The job is still running.
        }
    }

    /**
     * Stops the job with a savepoint, from which the next start resumes; cancels it if that fails or takes too long, as it does
     * while a store cannot be written. Reports both. Returns whether everything that was read is written.
     */
    boolean stop(ProgressLine progress) {
        progress.say("stopping: writing what was read, and taking a savepoint");
        String why;
        try {
            savepoint().get(SAVEPOINT_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "interrupted";
        } catch (TimeoutException e) {
            why = "what was read could not be written within %d s".formatted(SAVEPOINT_SECONDS);
        } catch (ExecutionException e) {
            CompletableFuture<?> result = client.getJobExecutionResult();
            if (result.isDone() && !result.isCompletedExceptionally()) {
                return true; // It ended by itself, and has written everything.
            }
            why = Jobs.failure(e.getCause()).getMessage();
        }
        cancel();
        progress.warn("there is no savepoint (" + why
                + "); the next start resumes from the last checkpoint and repeats the work after it");
        return false;
    }

    /** Cancels the job. */
    void cancel() {
        Jobs.cancel(client);
    }
}
