package io.thalweg.pipelinetest;

import io.thalweg.jobs.ClusterFlink;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.jobs.embedded.EmbeddedEnvironment;
import io.thalweg.jobs.embedded.EmbeddedJob;
import io.thalweg.jobs.file.FileGate;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.runner.Jobs;
import io.thalweg.runner.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs that read files: in this process, from beginning to end or killed and resumed, and on a Flink cluster of this machine.
 *
 * <p><b>Threads.</b> One.
 *
 * @param cluster the embedded cluster of all tests
 * @param flink the REST API of a Flink cluster; null = there is none
 * @param scratch a folder for checkpoints
 */
record TestCluster(EmbeddedCluster cluster, @Nullable URI flink, Path scratch) {
    private static final String NAME = "thalweg test";
    private static final int CLUSTER_PARALLELISM = 2;
    private static final long CANCEL_SECONDS = 10;
    private static final int CHECKPOINT_ATTEMPTS = 3_000;
    private static final long CHECKPOINT_RETRY_MS = 20;

    /**
     * A job, which may run several times.
     *
     * @param <R> the outcome of a run
     */
    interface Job<R> {
        /** Opens the resources that a run of the job needs in this process. They are closed when the run has ended. */
        Closeable open(String id) throws IOException;

        /** Adds the job's operators. */
        void addTo(StreamExecutionEnvironment environment, String id);

        /** The checkpoint interval of a run that is not killed; null = no checkpoints. */
        @Nullable
        Duration checkpoints();

        /**
         * Waits briefly until the rows of the events so far have arrived at their destination, because rows are emitted some time after
         * the watermark. Called before the checkpoint, so that it covers these rows, and before the job is killed. Does nothing by
         * default.
         */
        default void settle() throws InterruptedException {}

        /** Classes whose jars are sent to a Flink cluster besides those of all jobs. */
        default List<Class<?>> needed() {
            return List.of();
        }

        /** Returns the outcome of a run that has ended, before its resources are closed. */
        R result(String id) throws IOException;
    }

    /** A running job. */
    private record Running(EmbeddedJob job, JobClient client, CompletableFuture<?> end) {}

    /** Runs a job from beginning to end. */
    <R> R run(Job<R> job, int parallelism) throws IOException, InterruptedException {
        return toTheEnd(job, EmbeddedFlink.ending(parallelism, folder("plain"), job.checkpoints(), null, cluster));
    }

    /**
     * Runs a job from beginning to end on the Flink cluster. The result must not use counters of this process.
     *
     * @throws UserError if the cluster does not answer, or the job fails
     */
    @SuppressWarnings("try") // The job finds the open resources by its id.
    <R> R runOnFlink(Job<R> job) throws IOException, InterruptedException {
        URI rest = Objects.requireNonNull(flink, "checked before the first test");
        String id = UUID.randomUUID().toString();
        try (JobAccounts accounts = new JobAccounts(id);
                Closeable open = job.open(id)) {
            Jobs.requireCluster(rest);
            StreamExecutionEnvironment environment = environment(rest, job);
            job.addTo(environment, id);
            JobClient client = Jobs.submit(environment, NAME);
            try {
                await(client.getJobExecutionResult());
            } catch (InterruptedException e) {
                cancel(client); // otherwise the job keeps running
                throw e;
            }
            return job.result(id);
        } catch (UserError e) {
            throw Condition.CLUSTER.failure(e);
        }
    }

    private StreamExecutionEnvironment environment(URI rest, Job<?> job) {
        try {
            return ClusterFlink.ending(
                    rest, CLUSTER_PARALLELISM, folder(Condition.CLUSTER.text()), job.checkpoints(), job.needed());
        } catch (IOException e) {
            throw UserError.failed("the job cannot be sent to a cluster: " + e.getMessage(), "")
                    .causedBy(e);
        }
    }

    /**
     * An action that runs when a job has processed its first events as far as it can.
     *
     * @param events the number of first events
     * @param written what the job has written, for comparison with an earlier value
     */
    record Pause(long events, Runnable before, Supplier<?> written, Action action) {
        /** Runs while the job waits. */
        interface Action {
            void run() throws IOException, InterruptedException;
        }
    }

    /** Runs a job from beginning to end with pauses, in the order of their events. */
    <R> R run(Job<R> job, List<Pause> pauses) throws IOException, InterruptedException {
        EmbeddedEnvironment environment = EmbeddedFlink.ending(1, folder("pauses"), job.checkpoints(), null, cluster);
        return attempt(job, environment, (running, gate) -> {
            for (Pause pause : pauses) {
                pause.before().run();
                await(CompletableFuture.anyOf(gate.moveTo(pause.events()), running.end()));
                flush(running, pause.written());
                pause.action().run();
            }
            gate.open();
            await(running.end());
        });
    }

    /**
     * Kills a job some events after a checkpoint, as a failure would, and resumes it from the checkpoint.
     *
     * @param total the number of all events
     */
    <R> R run(Job<R> job, Condition condition, long total) throws IOException, InterruptedException {
        try {
            return killed(job, condition, total);
        } catch (UserError e) {
            throw condition.failure(e);
        }
    }

    private <R> R killed(Job<R> job, Condition condition, long total) throws IOException, InterruptedException {
        long kept = total / 2;
        long lost = Math.min(total, kept + Math.max(1, total / 4));
        StatePath folder = folder(condition.text());
        StatePath[] checkpoint = new StatePath[1];
        attempt(job, EmbeddedFlink.ending(2, folder, null, null, cluster), (running, gate) -> {
            await(CompletableFuture.anyOf(gate.moveTo(kept), running.end()));
            job.settle();
            checkpoint[0] = checkpoint(running);
            await(CompletableFuture.anyOf(gate.moveTo(lost), running.end()));
            job.settle();
            kill(running);
        });
        int parallelism = condition == Condition.RESCALE ? 3 : 2;
        return toTheEnd(job, EmbeddedFlink.ending(parallelism, folder, job.checkpoints(), checkpoint[0], cluster));
    }

    /** Gives a job more input while it runs. Returns when the job has read it, or has ended. */
    interface Input {
        void give(BooleanSupplier ended) throws IOException, InterruptedException;
    }

    /**
     * Kills an unbounded job some input after a checkpoint, as a failure would, and resumes it from the checkpoint until it has
     * read the rest.
     */
    <R> R run(Job<R> job, Condition condition, Input first, Input lost, Input rest)
            throws IOException, InterruptedException {
        try {
            return killed(job, condition, first, lost, rest);
        } catch (UserError e) {
            throw condition.failure(e);
        }
    }

    private <R> R killed(Job<R> job, Condition condition, Input first, Input lost, Input rest)
            throws IOException, InterruptedException {
        StatePath folder = folder(condition.text());
        StatePath[] checkpoint = new StatePath[1];
        attempt(job, EmbeddedFlink.ending(2, folder, null, null, cluster), (running, gate) -> {
            give(first, running);
            checkpoint[0] = checkpoint(running);
            give(lost, running);
            kill(running);
        });
        int parallelism = condition == Condition.RESCALE ? 3 : 2;
        EmbeddedEnvironment next = EmbeddedFlink.ending(parallelism, folder, null, checkpoint[0], cluster);
        return attempt(job, next, (running, gate) -> {
            give(rest, running);
            // The checkpoint makes durable what the job has read.
            checkpoint(running);
            kill(running);
        });
    }

    /** Gives input to a job. If the job has ended, it has failed. */
    private static void give(Input input, Running running) throws IOException, InterruptedException {
        input.give(running.end()::isDone);
        if (running.end().isDone()) {
            await(running.end());
        }
    }

    private StatePath folder(String name) {
        return StatePath.of(scratch.resolve(name));
    }

    private static <R> R toTheEnd(Job<R> job, EmbeddedEnvironment environment)
            throws IOException, InterruptedException {
        return attempt(job, environment, (running, gate) -> {
            gate.open();
            await(running.end());
        });
    }

    /** The actions on a job while it runs. */
    private interface Course {
        void take(Running running, FileGate gate) throws IOException, InterruptedException;
    }

    @SuppressWarnings("try") // The job finds the open resources by its id.
    private static <R> R attempt(Job<R> job, EmbeddedEnvironment environment, Course course)
            throws IOException, InterruptedException {
        String id = UUID.randomUUID().toString();
        try (JobAccounts accounts = new JobAccounts(id);
                Closeable open = job.open(id)) {
            FileGate gate = FileGate.register(id);
            job.addTo(environment, id);
            JobClient client = Jobs.submit(environment, NAME);
            Running running = new Running(environment.job(client), client, client.getJobExecutionResult());
            try {
                course.take(running, gate);
            } catch (IOException | InterruptedException | RuntimeException e) {
                if (!running.end().isDone()) {
                    cancel(client);
                }
                throw e;
            }
            return job.result(id);
        }
    }

    /** Cancels a job whose test is over, and waits briefly for its tasks. */
    private static void cancel(JobClient client) throws InterruptedException {
        Jobs.cancel(client);
        try {
            client.getJobExecutionResult().get(CANCEL_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The job was cancelled, or cannot be cancelled.
        }
    }

    private static void await(CompletableFuture<?> future) throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException e) {
            throw Jobs.failure(e.getCause());
        }
    }

    /**
     * Flushes the rows of the events so far. A checkpoint may overtake a window end that is computed in several turns, so checkpoints are
     * taken until one adds nothing.
     */
    private static void flush(Running running, Supplier<?> written) throws InterruptedException {
        checkpoint(running);
        Object before;
        do {
            before = written.get();
            checkpoint(running);
        } while (!written.get().equals(before));
    }

    /** Takes a checkpoint. Retries until all tasks are running, because the reader may be at its gate before the others have started. */
    private static StatePath checkpoint(Running running) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return running.job().checkpoint();
            } catch (ExecutionException e) {
                if (running.end().isDone() || attempt == CHECKPOINT_ATTEMPTS) {
                    throw Jobs.failure(e.getCause());
                }
                Thread.sleep(CHECKPOINT_RETRY_MS);
            }
        }
    }

    /** Kills a job without a savepoint, and waits until no task writes any more. */
    private static void kill(Running running) throws InterruptedException {
        Jobs.cancel(running.client());
        try {
            running.end().get();
        } catch (ExecutionException e) {
            // The job was cancelled, as expected.
        }
    }
}
