package io.thalweg.jobs;

import io.thalweg.jobs.embedded.EmbeddedCluster;
import io.thalweg.jobs.embedded.EmbeddedEnvironment;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.configuration.SecurityOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.jspecify.annotations.Nullable;

/**
 * Flink inside this process, configured for a bounded run or for a live one.
 */
public final class EmbeddedFlink {
    /** The parallelism that jobs of a shared cluster may have. */
    public static final int SHARED_SLOTS = 4;

    private EmbeddedFlink() {}

    /** Creates an environment that runs once and fails on the first failure, without checkpoints. */
    public static EmbeddedEnvironment bounded(int parallelism) {
        Configuration configuration = common();
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        return EmbeddedEnvironment.create(parallelism, configuration);
    }

    /**
     * Creates an environment that takes checkpoints and restarts after failures, with increasing delays.
     *
     * @param checkpoints folder of this deployment's checkpoints
     * @param resumeFrom a completed checkpoint or savepoint to start from; null = none
     */
    public static EmbeddedEnvironment live(
            int parallelism, StatePath checkpoints, Duration every, @Nullable StatePath resumeFrom) {
        Configuration configuration = common();
        JobConfiguration.recovering(configuration, checkpoints, every, resumeFrom);
        return EmbeddedEnvironment.create(parallelism, configuration);
    }

    /**
     * Creates an environment for a bounded job: it takes checkpoints and fails on the first failure. The caller may resume it from the
     * last checkpoint.
     *
     * @param checkpoints folder of this job's checkpoints
     * @param every checkpoint interval; null = checkpoints are taken only on request
     * @param resumeFrom a completed checkpoint or savepoint to start from; null = none
     */
    public static EmbeddedEnvironment ending(
            int parallelism, StatePath checkpoints, @Nullable Duration every, @Nullable StatePath resumeFrom) {
        return EmbeddedEnvironment.create(parallelism, ending(checkpoints, every, resumeFrom));
    }

    /**
     * As {@link #ending(int, StatePath, Duration, StatePath)}, but on a shared cluster that runs jobs of at most {@link #SHARED_SLOTS}
     * subtasks, one after the other.
     */
    public static EmbeddedEnvironment ending(
            int parallelism,
            StatePath checkpoints,
            @Nullable Duration every,
            @Nullable StatePath resumeFrom,
            EmbeddedCluster shared) {
        Configuration configuration = ending(checkpoints, every, resumeFrom);
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, SHARED_SLOTS);
        return EmbeddedEnvironment.create(parallelism, configuration, shared);
    }

    private static Configuration ending(
            StatePath checkpoints, @Nullable Duration every, @Nullable StatePath resumeFrom) {
        return embedded(JobConfiguration.ending(checkpoints, every, resumeFrom));
    }

    private static Configuration common() {
        return embedded(JobConfiguration.common());
    }

    private static Configuration embedded(Configuration configuration) {
        // Flink would request tokens from Hadoop, of which only the class names that Parquet needs are present.
        configuration.set(SecurityOptions.DELEGATION_TOKENS_ENABLED, false);
        // An overloaded machine is slow, not broken.
        configuration.set(RpcOptions.ASK_TIMEOUT_DURATION, Duration.ofMinutes(5));
        configuration.set(RpcOptions.STARTUP_TIMEOUT, Duration.ofMinutes(5));
        configuration.set(JobManagerOptions.SLOT_REQUEST_TIMEOUT, Duration.ofMinutes(10));
        configuration.set(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT, Duration.ofMinutes(5));
        // Metrics are gathered only on request, here from the same process.
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, Duration.ofSeconds(1));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(128));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(128));
        return configuration;
    }
}
