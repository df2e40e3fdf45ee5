package io.thalweg.bench.rivals;

import io.thalweg.jobs.EmbeddedFlink;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The process of one system: reads the topic of events from its first, writes rows, says {@code running}, until it is killed. */
public final class Contestant {
    private Contestant() {}

    /** The arguments: system, bootstrap, topic of events, topic of rows, folder, parallelism, products with commas between. */
    @SuppressWarnings("SystemOut") // the process that started this one reads it
    public static void main(String[] args) throws Exception {
        String bootstrap = args[1];
        Path checkpoints = Path.of(args[4]).resolve("checkpoints-" + args[0]);
        int parallelism = Integer.parseInt(args[5]);
        StreamExecutionEnvironment environment = args[0].equals("thalweg")
                ? EmbeddedFlink.live(parallelism, checkpoints, Duration.ofSeconds(10), null)
                : RivalFlink.environment(parallelism, checkpoints);
        switch (args[0]) {
            case "thalweg" -> thalweg(environment, bootstrap, Path.of(args[4]).resolve("contest.yaml"));
            case "flink_published" -> PublishedDesign.build(environment, bootstrap, args[2], args[3]);
            case "flink_tuned" -> TunedDesign.build(environment, bootstrap, args[2], args[3], args[6].split(",", -1));
            case "flink_sql" -> SqlDesign.build(environment, bootstrap, args[2], args[3]);
            default -> throw new IllegalArgumentException("no system is called " + args[0]);
        }
        JobClient job = environment.executeAsync(args[0]);
        while (job.getJobStatus().get() != JobStatus.RUNNING) {
            Thread.sleep(20);
        }
        System.out.println("running");
        job.getJobExecutionResult().get();
    }

    /** The compute job as {@code thalweg run} adds it, but for the store: the rivals have none. */
    private static void thalweg(StreamExecutionEnvironment environment, String bootstrap, Path definition) {
        List<FeatureView> views = Definitions.load(List.of(definition)).views();
        new ComputeJob(
                        "contest",
                        "contest",
                        views,
                        new ComputeJob.Topics(Map.of("default", Map.of("bootstrap.servers", bootstrap))),
                        null,
                        ClockSpec.system(),
                        false)
                .addTo(environment);
    }
}
