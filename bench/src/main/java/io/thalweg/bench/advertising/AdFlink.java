package io.thalweg.bench.advertising;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Flink in this process as all of the benchmark's Flink jobs have it: exactly once, with a checkpoint every ten seconds. */
final class AdFlink {
    private AdFlink() {}

    static StreamExecutionEnvironment environment(int parallelism, Path checkpoints) {
        Configuration configuration = new Configuration();
        configuration.set(PipelineOptions.OBJECT_REUSE, true);
        configuration.set(PipelineOptions.MAX_PARALLELISM, 256);
        configuration.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(10));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(256));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(256));
        return StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    }
}
