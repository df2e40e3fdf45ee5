package io.thalweg.bench.advertising;

import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.KeyedRowBlock;
import java.util.Arrays;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
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

    static void build(StreamExecutionEnvironment environment, KeyLoad load, int parallelism) {
        environment.setMaxParallelism(Shards.COUNT);
        var routed = environment
                .fromSource(
                        new AdSource<>(load, parallelism, () -> ThalwegKeys::emit),
                        WatermarkStrategy.noWatermarks(),
                        "keys",
                        Chained.type(Keys.class))
                .transform("route", KeyedShardBlock.TYPE, new Route());
        ComputeJob.aggregate(VIEW, routed, UUID.randomUUID().toString())
                .map(item -> {
                    count(item);
                    return item;
                })
                .returns(OutputItem.TYPE)
                .sinkTo(new DiscardingSink<>());
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

    /** Gathers events per shard: full blocks leave at once, all others before a checkpoint and when the hour is over. */
    private static final class Route extends AbstractStreamOperator<KeyedShardBlock>
            implements OneInputStreamOperator<Keys, KeyedShardBlock> {
        private static final int BLOCK_EVENTS = 1_024;

        private transient long[][] keys;
        private transient int[] gathered;
        /** Which all are in. */
        private transient long[] pane;

        @Override
        public void open() throws Exception {
            super.open();
            keys = new long[Shards.COUNT][BLOCK_EVENTS];
            gathered = new int[Shards.COUNT];
            pane = new long[] {new PaneClock(KeyLoad.WINDOW_MS).pane(KeyLoad.TIME_MS)};
        }

        @Override
        public void processElement(StreamRecord<Keys> element) {
            for (long key : element.getValue().keys()) {
                int shard = Shards.of(KeyWord.of(key));
                keys[shard][gathered[shard]++] = key;
                if (gathered[shard] == BLOCK_EVENTS) {
                    send(shard);
                }
            }
        }

        private void send(int shard) {
            int events = gathered[shard];
            if (events > 0) {
                gathered[shard] = 0;
                long[] low = Arrays.copyOf(keys[shard], events);
                KeyedBlock block = new KeyedBlock(null, low, null, null, pane, null, new long[0][]);
                output.collect(new StreamRecord<>(new KeyedShardBlock(shard, block)));
            }
        }

        private void flush() {
            for (int shard = 0; shard < Shards.COUNT; shard++) {
                send(shard);
            }
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            flush();
            super.processWatermark(mark);
        }

        @Override
        public void prepareSnapshotPreBarrier(long checkpointId) {
            flush();
        }
    }
}
