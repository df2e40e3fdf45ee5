package io.thalweg.cli.run;

import io.thalweg.cli.ConfiguredLookups;
import io.thalweg.cli.UserError;
import io.thalweg.formats.LookupSources;
import io.thalweg.jobs.ClusterFlink;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Surroundings;
import java.io.IOException;
import java.net.URI;
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
import org.apache.flink.runtime.client.JobCancellationException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Views as a job that runs until it is stopped, in this process or on a cluster: Kafka in, Kafka and the store out. */
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
        return start(
                id,
                views,
                surroundings,
                resume,
                ConfiguredLookups.of(surroundings),
                ConfiguredStore.name(surroundings.store()),
                clock,
                (run, from) -> EmbeddedFlink.live(
                        parallelism, run, surroundings.checkpoints().every().duration(), from));
    }

    /** Sends the job to a cluster; the store is not written, and lookup tables are files, which every machine must have. */
    static LiveJob submit(
            List<FeatureView> views, Surroundings surroundings, URI rest, int parallelism, String resume) {
        return start(
                newId(), views, surroundings, resume, LookupSources.files(), null, ClockSpec.system(), (run, from) -> {
                    try {
                        return ClusterFlink.live(
                                rest,
                                parallelism,
                                run,
                                surroundings.checkpoints().every().duration(),
                                from);
                    } catch (IOException e) {
                        throw UserError.failed("the job cannot be sent to a cluster: " + e.getMessage(), "")
                                .causedBy(e);
                    }
                });
    }

    /** Where the job runs: given the folder of its checkpoints and the one to begin from. */
    private interface Target {
        StreamExecutionEnvironment environment(Path run, @Nullable Path resumeFrom);
    }

    private static LiveJob start(
            String id,
            List<FeatureView> views,
            Surroundings surroundings,
            String resume,
            LookupSources lookups,
            @Nullable String storePath,
            ClockSpec clock,
            Target target) {
        CheckpointFolder checkpoints =
                new CheckpointFolder(surroundings.checkpoints().dir(), surroundings.deployment());
        Path resumeFrom = checkpoints.resumeFrom(resume, views);
        checkpoints.forgetBefore(views, resumeFrom);
        Path run = checkpoints.newRun(views, id, resumeFrom);
        StreamExecutionEnvironment environment = target.environment(run, resumeFrom);
        new ComputeJob(
                        id,
                        surroundings.deployment(),
                        views,
                        new ComputeJob.Topics(clusters(surroundings)),
                        lookups,
                        storePath,
                        clock,
                        resumeFrom != null)
                .addTo(environment);
        return new LiveJob(id, Jobs.submit(environment, ClusterRun.jobName(surroundings)), run, resumeFrom);
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

    /** What Flink calls the job. */
    String flinkId() {
        return client.getJobID().toHexString();
    }

    /** Throws what ended a job that is over, if that was a failure. */
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
