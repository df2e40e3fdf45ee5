package io.thalweg.jobs;

import io.thalweg.jobs.block.Shards;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.RecoveryClaimMode;
import org.jspecify.annotations.Nullable;

/** The Flink configuration that all jobs share, wherever they run. */
final class JobConfiguration {
    private JobConfiguration() {}

    /** How long a watermark waits for its network buffer to fill, which delays rows by the same time. */
    private static final Duration BUFFER_TIMEOUT = Duration.ofMillis(5);

    /** Longer than any bounded job. */
    private static final Duration NEVER = Duration.ofDays(1);

    /**
     * Returns the common configuration. State is on the heap, where snapshots share its segments; a disk-backed backend would write a
     * shard on every access.
     */
    static Configuration common() {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.MAX_PARALLELISM, Shards.COUNT);
        configuration.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        configuration.set(ExecutionOptions.BUFFER_TIMEOUT, BUFFER_TIMEOUT);
        return configuration;
    }

    /**
     * Returns the configuration of a bounded job: checkpoints, no restart after a failure, and where to start.
     *
     * @param every checkpoint interval; null = checkpoints are taken only on request
     */
    static Configuration ending(StatePath checkpoints, @Nullable Duration every, @Nullable StatePath resumeFrom) {
        Configuration configuration = common();
        recovering(configuration, checkpoints, every == null ? NEVER : every, resumeFrom);
        if (every == null) {
            // Without a minimum pause, Flink takes a checkpoint as soon as all tasks are running, regardless of the
            // interval.
            configuration.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, NEVER);
        }
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        return configuration;
    }

    /** Configures checkpoints, restarts after a failure, and where to start. */
    static void recovering(
            Configuration configuration, StatePath checkpoints, Duration every, @Nullable StatePath resumeFrom) {
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.uri());
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, every);
        configuration.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofMinutes(10));
        configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 3);
        configuration.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, 2);
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "exponential-delay");
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF, Duration.ofMillis(500));
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF, Duration.ofSeconds(30));
        if (resumeFrom != null) {
            configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, resumeFrom.uri());
            configuration.set(StateRecoveryOptions.RESTORE_MODE, RecoveryClaimMode.NO_CLAIM);
            configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
        }
    }
}
