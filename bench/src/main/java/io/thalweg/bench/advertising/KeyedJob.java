package io.thalweg.bench.advertising;

import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.jobs.compute.GatheringOperator;
import io.thalweg.jobs.compute.KeyedGatherer;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import java.io.Serializable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Thalweg: a keyed view counts events that are drawn inside the job, and its rows are only inspected. */
final class KeyedJob {
    private KeyedJob() {}

    /** Inspects rows of the job. */
    interface Glance extends Serializable {
        void at(KeyedRowBlock rows);
    }

    /** Returns a view that counts events per key in tumbling windows. */
    static FeatureView view(String name, String window) {
        String definition = """
                apiVersion: thalweg/v1
                kind: FeatureView
                name: %s
                source: {topic: drawn-events}
                entities: [{name: key, field: key, type: int64}]
                measures: [{name: views, count: all}]
                windows: {sizes: [%s], every: %s}
                """.formatted(name, window, window);
        return Definitions.parse(definition, name + ".yaml").views().get(0);
    }

    /** Adds a job of this id. */
    static <T> void addTo(
            StreamExecutionEnvironment environment,
            String id,
            AdSource<?, T> events,
            Class<T> type,
            Route<T> route,
            Glance glance) {
        environment.setMaxParallelism(Shards.COUNT);
        var routed = environment
                .fromSource(events, WatermarkStrategy.noWatermarks(), "events", Chained.type(type))
                .transform("route", KeyedShardBlock.TYPE, route);
        ComputeJob.aggregate(route.view, routed, id)
                .map(item -> {
                    if (item instanceof OutputItem.Rows keyed && keyed.block() instanceof KeyedRowBlock rows) {
                        glance.at(rows);
                    }
                    return item;
                })
                .returns(OutputItem.TYPE)
                .sinkTo(new DiscardingSink<>());
    }

    /** Gathers the keys of events as in production. */
    abstract static class Route<T> extends GatheringOperator<T, KeyedShardBlock> {
        final FeatureView view;
        transient KeyedGatherer keys;

        Route(FeatureView view) {
            this.view = view;
        }

        @Override
        public void open() throws Exception {
            super.open();
            keys = new KeyedGatherer(KeyedPlan.of(view).spec(), block -> output.collect(new StreamRecord<>(block)));
        }

        @Override
        protected void flush() {
            keys.flush();
        }
    }
}
