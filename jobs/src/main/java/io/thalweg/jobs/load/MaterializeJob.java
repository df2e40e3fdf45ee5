package io.thalweg.jobs.load;

import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.letters.FileDeadLetters;
import io.thalweg.model.Materialization;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.store.StoreAddress;
import io.thalweg.tables.TableSplit;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Wires the load of a table into a store into a Flink job that ends: the same writer as that of {@link LoadJob}, behind another
 * source.
 *
 * @param jobId names what this process shares with the job: metrics
 * @param splits what is read, unless the job resumes: then what its checkpoint says
 * @param beganMs when the table was looked at, epoch ms: the view's watermark when all of it is written, and the time of rows
 *     without one
 * @param rowsPerSecond of all readers together; infinite = as fast as it goes
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
