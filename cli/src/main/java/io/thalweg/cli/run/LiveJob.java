package io.thalweg.cli.run;

import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Surroundings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Views as a job that runs in this process until it is stopped: Kafka in, Kafka and the store out. */
final class LiveJob {
    private static final long SAVEPOINT_SECONDS = 20;

    private final String id;
    private final JobClient client;
    private final Path run;
    private final @Nullable Path resumedFrom;

    private LiveJob(String id, JobClient client, Path run, @Nullable Path resumedFrom) {
        this.id = id;
        this.client = client;
        this.run = run;
        this.resumedFrom = resumedFrom;
    }

    /** A name for what the job shares with this process. */
    static String newId() {
        return UUID.randomUUID().toString();
    }

    static LiveJob start(
            String id,
            List<FeatureView> views,
            Surroundings surroundings,
            ClockSpec clock,
            int parallelism,
            String resume) {
        CheckpointFolder checkpoints =
                new CheckpointFolder(surroundings.checkpoints().dir(), surroundings.deployment());
        Path resumeFrom = checkpoints.resumeFrom(resume, views);
        checkpoints.forgetBefore(views, resumeFrom);
        Path run = checkpoints.newRun(views, id, resumeFrom);
        StreamExecutionEnvironment environment = EmbeddedFlink.live(
                parallelism, run, surroundings.checkpoints().every().duration(), resumeFrom);
        new ComputeJob(
                        id,
                        surroundings.deployment(),
                        views,
                        new ComputeJob.Topics(clusters(surroundings)),
                        surroundings.store().path().toString(),
                        clock,
                        resumeFrom != null)
                .addTo(environment);
        return new LiveJob(id, Jobs.submit(environment, "thalweg " + surroundings.deployment()), run, resumeFrom);
    }

    /** Client properties of each cluster. */
    static Map<String, Map<String, String>> clusters(Surroundings surroundings) {
        Map<String, Map<String, String>> clusters = new LinkedHashMap<>();
        surroundings.kafka().forEach((name, kafka) -> {
            Map<String, String> properties = new LinkedHashMap<>(kafka.properties());
            properties.put("bootstrap.servers", kafka.bootstrap());
            clusters.put(name, properties);
        });
        return clusters;
    }

    JobMetrics metrics() {
        return JobMetrics.of(id);
    }

    /** The checkpoint that it began from; null = from nothing. */
    @Nullable
    Path resumedFrom() {
        return resumedFrom;
    }

    /** Completes when the job ends; exceptionally if it failed for good. */
    CompletableFuture<?> ended() {
        return client.getJobExecutionResult();
    }

    /** Stops with a savepoint, so that the next start goes on where this one ended; cancels if that takes too long. */
    void stop() {
        try {
            client.stopWithSavepoint(false, run.toAbsolutePath().toUri().toString(), SavepointFormatType.NATIVE)
                    .get(SAVEPOINT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The last checkpoint serves: what came after it is done again.
            cancel();
        }
    }

    /** Ends at once. */
    void cancel() {
        Jobs.cancel(client);
    }
}
