package io.thalweg.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.api.common.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * A job on a Flink cluster. The cluster runs it; this process submits it, reports its progress, and stops it with a savepoint on
 * Ctrl-C.
 *
 * @param rest the cluster's REST API
 * @param resume {@code latest}, {@code none} or a path
 * @param follower follows the job's progress
 */
public record ClusterRun(JobPlan plan, URI rest, int parallelism, String resume, Follower follower) {
    private static final long LOOK_MS = 1_000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    public ClusterRun(JobPlan plan, URI rest, int parallelism, String resume) {
        this(plan, rest, parallelism, resume, Follower.NONE);
    }

    /** Follows the progress of a job by the checkpoints in the folder of its run. */
    interface Follower {
        /** Follows nothing. */
        Follower NONE = new Follower() {};

        /** Describes what the job had done at its newest checkpoint, for people. */
        default String line(RunFolder run) throws IOException {
            return "";
        }

        /** Whether the job has done what it was started for and should be stopped. */
        default boolean isDone(RunFolder run) throws IOException {
            return false;
        }

        /**
         * Reports on a job that has ended with a savepoint.
         *
         * @throws UserError if it has lost events or rows
         */
        default void report(RunFolder run, Console console) throws IOException {}
    }

    /**
     * Submits the job.
     *
     * @param replace stop the deployment's running job first, if there is one, and resume from its savepoint
     * @param detach return once the job is submitted
     */
    public int run(Console console, boolean quiet, boolean replace, boolean detach) throws InterruptedException {
        ClusterJobs flink = new ClusterJobs(rest);
        try (ProgressLine progress = console.progress(quiet)) {
            LiveJob.check(plan, resume);
            plan.prepare().forEach(progress::say);
            Optional<String> running = running(flink);
            if (running.isPresent()) {
                takeOver(flink, running.get(), replace, progress);
            }
            LiveJob job = LiveJob.submit(plan, rest, parallelism, resume);
            progress.say(job.beginning());
            progress.say("job %s on %s".formatted(job.flinkId(), rest));
            if (detach) {
                progress.say(
                        "it runs on; stop it with a savepoint: " + plan.job().stopCommand());
                return 0;
            }
            Interrupt interrupt = Interrupt.with(() -> interrupted(job, console, progress));
            boolean finished;
            try {
                finished = watch(flink, job, progress);
            } finally {
                interrupt.disarm();
            }
            if (finished) {
                report(job, console);
            }
        }
        return 0;
    }

    /** Stops the job on Ctrl-C; returns the exit code. */
    private int interrupted(LiveJob job, Console console, ProgressLine progress) {
        if (!job.stop(progress)) {
            return 1;
        }
        try {
            report(job, console);
            return 0;
        } catch (UserError e) {
            console.err().println("thalweg: " + e.getMessage());
            return 1;
        } finally {
            console.err().flush();
        }
    }

    private void report(LiveJob job, Console console) {
        report(follower, job.run(), console);
    }

    /** Reports on a job that has ended with a savepoint. */
    static void report(Follower follower, RunFolder run, Console console) {
        try {
            follower.report(run, console);
        } catch (IOException e) {
            throw UserError.failed(
                            "the account of the job cannot be read: " + e.getMessage(),
                            "checkpoints.dir and the table must be the same folders, at the same paths, here and on the cluster")
                    .causedBy(e);
        }
    }

    private Optional<String> running(ClusterJobs flink) throws InterruptedException {
        try {
            return flink.running(plan.name());
        } catch (IOException e) {
            throw flink.unreachable(e);
        }
    }

    private void takeOver(ClusterJobs flink, String job, boolean replace, ProgressLine progress)
            throws InterruptedException {
        if (!replace) {
            throw UserError.failed(
                    "'%s' already runs on %s as job %s".formatted(plan.name(), rest, job),
                    "go on from where it is with --replace, end it with: %s, or name another deployment in thalweg.yaml"
                            .formatted(plan.job().stopCommand()));
        }
        progress.say("stopping job " + job + ": taking a savepoint");
        JobStop.stop(flink, job, plan.checkpoints());
    }

    /** Waits until the job is over; returns whether it has ended with a savepoint rather than by cancellation. */
    private boolean watch(ClusterJobs flink, LiveJob job, ProgressLine progress) throws InterruptedException {
        boolean stopped = false;
        while (true) {
            Supplier<String> line;
            try {
                ClusterJobs.Job now = flink.job(job.flinkId()).orElse(null);
                if (now == null) {
                    throw forgotten(job);
                }
                if (now.isOver()) {
                    job.failIfFailed();
                    progress.say("job " + now.id() + " is " + now.state().toLowerCase(Locale.ROOT));
                    return now.state().equals(JobStatus.FINISHED.name());
                }
                line = () -> line(now) + look(job.run());
                if (!stopped && isDone(job.run())) {
                    job.stopWithSavepoint();
                    stopped = true;
                }
            } catch (IOException e) {
                line = () -> "the cluster does not answer; its job may run on";
            }
            progress.show(line);
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    private String look(RunFolder run) {
        try {
            return follower.line(run);
        } catch (IOException | UncheckedIOException e) {
            return ""; // the cluster has just removed the checkpoint, because a newer one exists
        }
    }

    private boolean isDone(RunFolder run) {
        try {
            return follower.isDone(run);
        } catch (IOException | UncheckedIOException e) {
            return false; // as above; checked again at the next poll
        }
    }

    private UserError forgotten(LiveJob job) {
        return UserError.failed(
                "the cluster does not know job %s any more: its JobManager was restarted without high availability"
                        .formatted(job.flinkId()),
                "start the same command again; it resumes from the last checkpoint");
    }

    private static String line(ClusterJobs.Job job) {
        String state = "%s, %d of %d tasks run"
                .formatted(job.state().toLowerCase(Locale.ROOT), job.runningTasks(), job.tasks());
        String restarts = job.restarts() == 0 ? "" : ", restarted " + job.restarts() + " times";
        return state + restarts + checkpoint(job.checkpoint());
    }

    private static String checkpoint(ClusterJobs.@Nullable Checkpoint checkpoint) {
        return checkpoint == null
                ? ", no checkpoint yet"
                : ", checkpoint %d at %s: %,d KB in %,d ms"
                        .formatted(
                                checkpoint.id(),
                                TIME.format(Instant.ofEpochMilli(checkpoint.completedAtMs())),
                                checkpoint.bytes() / 1_000,
                                checkpoint.durationMs());
    }
}
