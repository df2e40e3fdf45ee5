package io.thalweg.jobs.load;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.sink.FeatureLogSink;
import io.thalweg.jobs.sink.LogTarget;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.table.Materialization;
import io.thalweg.store.StoreAddress;
import io.thalweg.tables.TableSplit;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Builds a bounded Flink job that loads a table into a store. It uses the same writer as {@link LoadJob} with another source.
 *
 * @param jobId names what this process shares with the job: metrics
 * @param splits the splits to read; a job that resumes takes them from its checkpoint instead
 * @param beganMs when the table was listed, epoch ms: the view's watermark once all of it is written, and the time of rows
 *     without one
 * @param rowsPerSecond of all readers together; infinite = unlimited
 * @param deadLetters a file that bad rows are appended to, as lines of JSON
 * @param log where rows are also logged; null = nowhere
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
        String deadLetters,
        @Nullable Log log) {
    /**
     * A feature log.
     *
     * @param loadedMs identifies the load in it: when it first listed the table, epoch ms
     */
    public record Log(LogTarget target, long loadedMs) {}

    /** Adds the job's operators to an environment. */
    public void addTo(StreamExecutionEnvironment environment) {
        environment.setMaxParallelism(Shards.COUNT);
        String id = spec.view().qualifiedName();
        DataStream<LoadItem> items = environment
                .fromSource(
                        new TableSource(spec, List.copyOf(splits), beganMs, rowsPerSecond, jobId),
                        WatermarkStrategy.noWatermarks(),
                        "read " + spec.table().name(),
                        LoadItem.TYPE)
                .uid(id + "/table");
        items.sinkTo(new LoadSink(spec.view(), store, new FileDeadLetters(deadLetters), limits, clock, jobId))
                .name("load " + id)
                .uid(id + "/load");
        if (log != null) {
            DataStream<OutputItem> rows = items.flatMap(new ToLog())
                    .returns(OutputItem.TYPE)
                    .name("rows of " + id)
                    .uid(id + "/log/rows");
            new FeatureLogSink(spec.view(), log.target(), jobId).addLoad(rows, log.loadedMs());
        }
    }

    /** Passes on rows; the process that starts the load logs its progress, when all of it is written. */
    private static final class ToLog implements FlatMapFunction<LoadItem, OutputItem> {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(LoadItem item, Collector<OutputItem> out) {
            if (item instanceof LoadItem.Rows rows) {
                out.collect(new OutputItem.Rows(rows.block()));
            }
        }
    }
}
