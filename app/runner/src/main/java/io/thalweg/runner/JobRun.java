package io.thalweg.runner;

import io.thalweg.jobs.JobAccounts;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A job of this process from its start to its end. What belongs to it is opened in order; then the job starts and is watched; and
 * everything is closed in the reverse order, the accounts of the job last. Ctrl-C stops the job with a savepoint, from which the next
 * start resumes.
 *
 * <p><b>Threads.</b> One; Ctrl-C calls {@link Kind#stopped} on another one.
 */
final class JobRun implements AutoCloseable {
    private static final long LOOK_MS = 200;

    private final JobPlan plan;
    private final int parallelism;
    private final String resume;
    private final JobAccounts accounts;
    private final Closeables open = new Closeables();
    private final ProgressLine progress;

    /** Creates the run of a job that does not exist yet; {@code resume} is {@code latest}, {@code none} or a path. */
    JobRun(JobPlan plan, int parallelism, String resume, Console console, boolean quiet) {
        this.plan = plan;
        this.parallelism = parallelism;
        this.resume = resume;
        this.accounts = new JobAccounts(LiveJob.newId());
        this.progress = open.add(console.progress(quiet));
    }

    /** What differs between kinds of jobs: views, publishing, loads of tables, ingests until they are stopped, and ingests that end. */
    sealed interface Kind
            permits LiveRun.Views, PublishRun.Publication, MaterializeRun.Load, IngestLive.Stream, BoundedIngest.Batch {
        /** Reports that the job has started. */
        void started(LiveJob job);

        /** Looks at the running job, several times a second. */
        void look(LiveJob job) throws InterruptedException;

        /** Completes when the job has ended; exceptionally if it failed or cannot go on. */
        default CompletableFuture<?> end(LiveJob job) {
            return job.ended();
        }

        /** Whether the job has done what it was started for, and is to be stopped with a savepoint. */
        default boolean isDone() {
            return false;
        }

        /** Called when the job has ended although it was not stopped. */
        default void ended() {}

        /**
         * Reports on a job that Ctrl-C has stopped.
         *
         * @param isWhole whether everything that was read is written
         * @return the exit code
         */
        int stopped(boolean isWhole);
    }

    /** The id by which the process and the job find each other. */
    String id() {
        return accounts.jobId();
    }

    ProgressLine progress() {
        return progress;
    }

    /** Checks the views against the checkpoint that the start would resume from; see {@link LiveJob#check}. */
    void check() {
        LiveJob.check(plan, resume);
    }

    /** Checks what the job reads and writes, and creates what is missing. */
    void prepare() {
        plan.prepare().forEach(progress::say);
    }

    /** Adds what is closed with the run. */
    <T extends AutoCloseable> T open(T part) {
        return open.add(part);
    }

    /** Starts the job and watches it until its end. */
    void run(Kind kind) throws InterruptedException {
        LiveJob job = LiveJob.start(id(), plan, parallelism, resume);
        Interrupt interrupt = Interrupt.with(() -> kind.stopped(job.stop(progress)));
        try {
            kind.started(job);
            watch(job, kind);
        } finally {
            interrupt.disarm();
        }
    }

    private static void watch(LiveJob job, Kind kind) throws InterruptedException {
        CompletableFuture<?> end = kind.end(job);
        while (!kind.isDone()) {
            try {
                end.get(LOOK_MS, TimeUnit.MILLISECONDS);
                kind.ended();
                return;
            } catch (TimeoutException e) {
                kind.look(job);
            } catch (ExecutionException e) {
                throw Jobs.failure(e.getCause());
            }
        }
        job.stopWithSavepoint();
    }

    /** Closes everything but the accounts, which can still be reported. */
    void closeParts() {
        open.close();
    }

    @Override
    public void close() {
        try {
            open.close();
        } finally {
            accounts.close();
        }
    }
}
