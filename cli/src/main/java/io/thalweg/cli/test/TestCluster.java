package io.thalweg.cli.test;

import io.thalweg.cli.run.Jobs;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.jobs.embedded.EmbeddedEnvironment;
import io.thalweg.jobs.embedded.EmbeddedJob;
import io.thalweg.jobs.file.FileGate;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Runs jobs that read files, in this process: from beginning to end, or killed on the way and continued.
 *
 * <p><b>Threads.</b> One.
 *
 * @param cluster that of all tests
 * @param scratch a folder for checkpoints
 */
record TestCluster(EmbeddedCluster cluster, Path scratch) {
    /** Checkpoints are taken when they are asked for. */
    static final Duration NO_CHECKPOINTS = Duration.ofDays(1);

    private static final int CHECKPOINT_ATTEMPTS = 3_000;
    private static final long CHECKPOINT_RETRY_MS = 20;

    /**
     * A job, which may run several times.
     *
     * @param <R> what it has done
     */
    interface Job<R> {
        /** Opens what a run of the job needs of this process; closed when the run has ended. */
        Closeable open(String id) throws IOException;

        /** Adds the job's operators. */
        void addTo(StreamExecutionEnvironment environment, String id);

        /** How often a run takes checkpoints that is not to be killed. */
        Duration checkpoints();

        /** Waits until what the job has made of its events so far has arrived where others see it, before the job is killed. */
        default void settle() throws InterruptedException {}

        /** What a run that has ended has done, before it is closed. */
        R result(String id) throws IOException;
    }

    /** A job that runs. */
    private record Running(EmbeddedJob job, JobClient client, CompletableFuture<?> end) {}

    /** Runs a job from beginning to end. */
    <R> R run(Job<R> job, int parallelism) throws IOException, InterruptedException {
        return toTheEnd(job, EmbeddedFlink.ending(parallelism, folder("plain"), job.checkpoints(), null, cluster));
    }

    /**
     * What is done when a job has made all that it can of its first events.
     *
     * @param events how many
     */
    record Pause(long events, Runnable before, Action action) {
        /** Is done while the job waits. */
        interface Action {
            void run() throws IOException, InterruptedException;
        }
    }

    /** Runs a job from beginning to end with pauses, in the order of their events. */
    <R> R run(Job<R> job, List<Pause> pauses) throws IOException, InterruptedException {
        EmbeddedEnvironment environment = EmbeddedFlink.ending(1, folder("pauses"), NO_CHECKPOINTS, null, cluster);
        return attempt(job, environment, (running, gate) -> {
            for (Pause pause : pauses) {
                pause.before().run();
                await(CompletableFuture.anyOf(gate.moveTo(pause.events()), running.end()));
                // What the events have made is flushed before it.
                checkpoint(running);
                pause.action().run();
            }
            gate.open();
            await(running.end());
        });
    }

    /**
     * Ends a job behind a checkpoint and some more events, as a failure would, and runs it on from the checkpoint.
     *
     * @param total how many events there are
     */
    <R> R run(Job<R> job, Condition condition, long total) throws IOException, InterruptedException {
        long kept = total / 2;
        long lost = Math.min(total, kept + Math.max(1, total / 4));
        StatePath folder = folder(condition.text());
        StatePath[] checkpoint = new StatePath[1];
        attempt(job, EmbeddedFlink.ending(2, folder, NO_CHECKPOINTS, null, cluster), (running, gate) -> {
            await(CompletableFuture.anyOf(gate.moveTo(kept), running.end()));
            checkpoint[0] = checkpoint(running);
            await(CompletableFuture.anyOf(gate.moveTo(lost), running.end()));
            job.settle();
            kill(running);
        });
        int parallelism = condition == Condition.RESCALE ? 3 : 2;
        return toTheEnd(job, EmbeddedFlink.ending(parallelism, folder, job.checkpoints(), checkpoint[0], cluster));
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

    /** What is done with a job while it runs. */
    private interface Course {
        void take(Running running, FileGate gate) throws IOException, InterruptedException;
    }

    @SuppressWarnings("try") // What is open is found by the job's id.
    private static <R> R attempt(Job<R> job, EmbeddedEnvironment environment, Course course)
            throws IOException, InterruptedException {
        String id = UUID.randomUUID().toString();
        FileGate gate = FileGate.register(id);
        try (Closeable open = job.open(id)) {
            job.addTo(environment, id);
            JobClient client = Jobs.submit(environment, "thalweg test");
            course.take(new Running(environment.job(client), client, client.getJobExecutionResult()), gate);
            return job.result(id);
        } finally {
            FileGate.unregister(id);
        }
    }

    private static void await(CompletableFuture<?> future) throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException e) {
            throw Jobs.failure(e.getCause());
        }
    }

    /** Tries until all tasks run: the reader may have arrived before the others have started. */
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

    /** Ends a job without a savepoint. Waits until no task writes any more. */
    private static void kill(Running running) throws InterruptedException {
        Jobs.cancel(running.client());
        try {
            running.end().get();
        } catch (ExecutionException e) {
            // That it was cancelled.
        }
    }
}
