package io.thalweg.jobs.load;

import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.table.Materialization;
import io.thalweg.store.StoreAddress;
import io.thalweg.tables.TableSplit;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Builds a bounded Flink job that loads a table into a store. It uses the same writer as {@link LoadJob} with another source.
 *
 * @param jobId names what this process shares with the job: metrics
 * @param splits the splits to read; a job that resumes takes them from its checkpoint instead
 * @param beganMs when the table was listed, epoch ms: the view's watermark once all of it is written, and the time of rows
 *     without one
 * @param rowsPerSecond of all readers together; infinite = unlimited
 * @param deadLetters a file that bad rows are appended to, as lines of JSON
 */
public record MaterializeJob(
        String jobId,
        Materialization spec,
        List<TableSplit> splits,
        long beganMs,
        double rowsPerSecond,
        StoreAddress store,
        DeploymentConfig.Load limits,
        ClockSpec clock,
        String deadLetters) {
    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        String id = spec.view().qualifiedName();
        environment
                .fromSource(
                        new TableSource(spec, List.copyOf(splits), beganMs, rowsPerSecond, jobId),
                        WatermarkStrategy.noWatermarks(),
                        "read " + spec.table().name(),
                        LoadItem.TYPE)
                .uid(id + "/table")
                .sinkTo(new LoadSink(spec.view(), store, new FileDeadLetters(deadLetters), limits, clock, jobId))
                .name("load " + id)
                .uid(id + "/load");
    }
}
