package io.thalweg.bench.advertising;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.compute.GatheringOperator;
import io.thalweg.jobs.compute.KeyedGatherer;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedPlan;
import io.thalweg.model.row.KeyedRowBlock;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Thalweg: keys counted by a keyed view in windows of an hour. */
final class ThalwegKeys {
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: key_views
                    source: {topic: key-events}
                    entities: [{name: key, field: key, type: int64}]
                    measures: [{name: views, count: all}]
                    windows: {sizes: [1h], every: 1h}
                    """, "key_views.yaml").views().get(0);

    private ThalwegKeys() {}

    /** Adds the job, and returns what it counts of its view. */
    static JobMetrics.View build(StreamExecutionEnvironment environment, KeyLoad load, int parallelism) {
        String job = UUID.randomUUID().toString();
        environment.setMaxParallelism(Shards.COUNT);
        var routed = environment
                .fromSource(
                        new AdSource<>(load, parallelism, () -> ThalwegKeys::emit),
                        WatermarkStrategy.noWatermarks(),
                        "keys",
                        Chained.type(Keys.class))
                .transform("route", KeyedShardBlock.TYPE, new Route());
        ComputeJob.aggregate(VIEW, routed, job)
                .map(item -> {
                    count(item);
                    return item;
                })
                .returns(OutputItem.TYPE)
                .sinkTo(new DiscardingSink<>());
        return JobMetrics.of(job).view(VIEW.qualifiedName());
    }

    private static void count(OutputItem item) {
        if (item instanceof OutputItem.Rows keyed && keyed.block() instanceof KeyedRowBlock rows) {
            long events = 0;
            long digest = 0;
            for (int row = 0; row < rows.rows(); row++) {
                events += rows.values().low()[row];
                digest += rows.values().low()[row] * KeyLoad.weight(rows.keys().low()[row]);
            }
            AdCounts.OF_PROCESS.addAll(rows.rows(), events, digest);
        }
    }

    /** The keys of events. */
    record Keys(long[] keys) {}

    private static void emit(KeyLoad load, long first, int count, int step, ReaderOutput<Keys> output) {
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = load.key(first + (long) i * step);
        }
        output.collect(new Keys(keys));
    }

    /** Gathers events as the product does. */
    private static final class Route extends GatheringOperator<Keys, KeyedShardBlock> {
        /** Which all are in. */
        private static final long PANE = VIEW.clock().pane(KeyLoad.TIME_MS);

        private transient KeyedGatherer views;

        @Override
        public void open() throws Exception {
            super.open();
            views = new KeyedGatherer(KeyedPlan.of(VIEW).spec(), block -> output.collect(new StreamRecord<>(block)));
        }

        @Override
        protected void gather(Keys events) {
            for (long key : events.keys()) {
                views.add(key, PANE, 0);
            }
        }

        @Override
        protected void flush() {
            views.flush();
        }
    }
}
