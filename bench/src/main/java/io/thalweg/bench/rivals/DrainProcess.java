package io.thalweg.bench.rivals;

import io.thalweg.bench.harness.Messages;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.client.JobCancellationException;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;

/**
 * The process of one system. Each line of its standard input, {@code TOPIC_OF_EVENTS TOPIC_OF_ROWS DEFINITION}, ends the previous
 * job and starts one that reads the events from the first topic; the process prints {@code running} when the job runs. It exits
 * at the end of its input.
 */
public record DrainProcess(String system, String bootstrap, Path folder, int parallelism, String[] products) {
    /** Runs the system that the argument describes. */
    public static void main(String[] args) {
        Messages.endAfter(() -> Messages.read(args[0], DrainProcess.class).drain());
    }

    private void drain() throws Exception {
        try (BufferedReader orders = Messages.input()) {
            JobClient job = null;
            CompletableFuture<?> ended = CompletableFuture.completedFuture(null);
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                if (job != null) {
                    job.cancel().get();
                    ended.get();
                }
                job = start(order.split(" ", -1));
                ended = end(job);
                Messages.say("running");
            }
        }
    }

    private JobClient start(String[] order) throws Exception {
        Path checkpoints = folder.resolve("checkpoints-" + order[1]);
        StreamExecutionEnvironment environment = system.equals("thalweg")
                ? EmbeddedFlink.live(parallelism, StatePath.of(checkpoints), Duration.ofSeconds(10), null)
                : RivalFlink.environment(parallelism, checkpoints);
        switch (system) {
            case "thalweg" ->
                addThalweg(
                        environment,
                        bootstrap,
                        order[1],
                        Definitions.load(List.of(Path.of(order[2]))).views());
            case "flink_tuned" -> TunedDesign.build(environment, bootstrap, order[0], order[1], products);
            default -> throw new IllegalArgumentException("no system is called " + system);
        }
        JobClient job = environment.executeAsync(order[1]);
        while (job.getJobStatus().get() != JobStatus.RUNNING) {
            Thread.sleep(20);
        }
        return job;
    }

    /** Completes when a job is cancelled; a job that fails ends the process, so that a process that waits for rows notices. */
    private static CompletableFuture<?> end(JobClient job) {
        return job.getJobExecutionResult().handle((result, failure) -> {
            if (failure != null && !isCancelled(failure)) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
            return result;
        });
    }

    private static boolean isCancelled(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, JobCancellationException.class)
                        .isPresent()
                || ExceptionUtils.findThrowable(failure, CancellationException.class)
                        .isPresent();
    }

    /** Adds the compute job as {@code thalweg run} does, but without the store, because the rivals have none. */
    public static void addThalweg(
            StreamExecutionEnvironment environment, String bootstrap, String id, List<FeatureView> views) {
        var topics = new ComputeJob.Topics(Map.of("default", Map.of("bootstrap.servers", bootstrap)));
        new ComputeJob(id, id, views, topics, LookupSources.files(), null, ClockSpec.system()).addTo(environment);
    }
}
