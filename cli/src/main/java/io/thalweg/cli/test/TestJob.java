package io.thalweg.cli.test;

import io.thalweg.cli.ConfiguredLookups;
import io.thalweg.cli.run.Jobs;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.jobs.embedded.EmbeddedEnvironment;
import io.thalweg.jobs.embedded.EmbeddedJob;
import io.thalweg.jobs.file.FileGate;
import io.thalweg.jobs.sink.LocalStreams;
import io.thalweg.model.FeatureView;
import io.thalweg.model.deployment.ClockSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.flink.core.execution.JobClient;
import org.jspecify.annotations.Nullable;

/**
 * Runs a view over a file of events through the job that {@code run --input} runs, in this process.
 *
 * <p><b>Threads.</b> One.
 *
 * @param scratch a folder for checkpoints
 */
record TestJob(FeatureView view, String events, ConfiguredLookups lookups, EmbeddedCluster cluster, Path scratch) {
    /** Checkpoints are taken when they are asked for. */
    private static final Duration NO_CHECKPOINTS = Duration.ofDays(1);

    private static final int CHECKPOINT_ATTEMPTS = 1_000;
    private static final long CHECKPOINT_RETRY_MS = 20;

    /** A job that runs. */
    private record Running(EmbeddedJob job, JobClient client, CompletableFuture<?> end) {}

    /** Runs the job from beginning to end. */
    JobMetrics.View run(RowLedger ledger) throws IOException, InterruptedException {
        return attempt(environment(1, "plain", null), false, ledger, (running, gate) -> await(running.end()));
    }

    /**
     * Ends the job behind a checkpoint and some more events, as a failure would, and runs it on from the checkpoint.
     *
     * @param total how many events there are
     */
    JobMetrics.View run(Condition condition, long total, RowLedger ledger) throws IOException, InterruptedException {
        long kept = total / 2;
        long lost = Math.min(total, kept + Math.max(1, total / 4));
        Path[] checkpoint = new Path[1];
        attempt(environment(2, condition.text(), null), true, ledger, (running, gate) -> {
            await(CompletableFuture.anyOf(gate.moveTo(kept), running.end()));
            checkpoint[0] = checkpoint(running);
            await(CompletableFuture.anyOf(gate.moveTo(lost), running.end()));
            kill(running);
        });
        int parallelism = condition == Condition.RESCALE ? 3 : 2;
        return attempt(
                environment(parallelism, condition.text(), checkpoint[0]),
                false,
                ledger,
                (running, gate) -> await(running.end()));
    }

    private EmbeddedEnvironment environment(int parallelism, String checkpoints, @Nullable Path resumeFrom) {
        return EmbeddedFlink.ending(parallelism, scratch.resolve(checkpoints), NO_CHECKPOINTS, resumeFrom, cluster);
    }

    /** What is done with a job while it runs. */
    private interface Course {
        void take(Running running, FileGate gate) throws InterruptedException;
    }

    @SuppressWarnings("try") // The tables are held open for the job, which finds them by name.
    private JobMetrics.View attempt(EmbeddedEnvironment environment, boolean gated, RowLedger ledger, Course course)
            throws IOException, InterruptedException {
        String id = UUID.randomUUID().toString();
        LocalStreams.register(id, ledger, OutputStream.nullOutputStream());
        FileGate gate = FileGate.register(id);
        if (!gated) {
            gate.open();
        }
        try (LookupTables tables = lookups.open(id, List.of(view))) {
            course.take(start(id, environment), gate);
            return JobMetrics.of(id).view(view.qualifiedName());
        } finally {
            FileGate.unregister(id);
            LocalStreams.unregister(id);
        }
    }

    private Running start(String id, EmbeddedEnvironment environment) {
        String topic = view.source().topics().get(0);
        new ComputeJob(
                        id,
                        "test",
                        List.of(view),
                        new ComputeJob.Files(Map.of(topic, List.of(events)), true, false),
                        lookups.sources(List.of(view)),
                        null,
                        ClockSpec.system(),
                        false)
                .addTo(environment);
        JobClient client = Jobs.submit(environment, "thalweg test");
        return new Running(environment.job(client), client, client.getJobExecutionResult());
    }

    private static void await(CompletableFuture<?> future) throws InterruptedException {
        try {
            future.get();
        } catch (ExecutionException e) {
            throw Jobs.failure(e.getCause());
        }
    }

    /** Tries until all tasks run: the reader may have arrived before the others have started. */
    private static Path checkpoint(Running running) throws InterruptedException {
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
