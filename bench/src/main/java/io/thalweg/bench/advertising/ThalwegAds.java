package io.thalweg.bench.advertising;

import io.thalweg.bench.rivals.RivalFlink;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.Emission;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.compute.ComputeJob;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.pane.PaneClock;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowBlock;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Thalweg: events as columns, the views among them routed by campaign, a keyed view. */
final class ThalwegAds {
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: campaign_views
                    source: {topic: ad-events}
                    entities: [{name: campaign, field: campaign_id, type: int64}]
                    measures: [{name: views, count: all}]
                    windows: {sizes: [10s], every: 10s}
                    """, "campaign_views.yaml").views().get(0);

    private ThalwegAds() {}

    /** What reads of campaigns came to while all was counted; see {@link LiveLoad#summary}; empty without any. */
    static String run(AdLoad load, int parallelism, Path checkpoints, int readsPerSecond) throws Exception {
        String job = UUID.randomUUID().toString();
        StreamExecutionEnvironment environment = RivalFlink.environment(parallelism, checkpoints);
        environment.setMaxParallelism(Shards.COUNT);
        var routed = environment
                .fromSource(
                        new AdSource<>(load, parallelism, () -> ThalwegAds::emit),
                        WatermarkStrategy.noWatermarks(),
                        "ads",
                        Chained.type(Columns.class))
                .transform("route", KeyedShardBlock.TYPE, new Route(load));
        ComputeJob.aggregate(VIEW, routed, job)
                .map(emission -> {
                    count(emission);
                    return emission;
                })
                .returns(Emission.TYPE)
                .sinkTo(new DiscardingSink<>());
        if (readsPerSecond == 0) {
            environment.execute("advertising");
            return "";
        }
        try (LiveLoad reads = new LiveLoad(job, VIEW, load.campaigns(), readsPerSecond)) {
            environment.execute("advertising");
            return reads.summary();
        }
    }

    private static void count(Emission emission) {
        if (emission instanceof Emission.Keyed keyed) {
            KeyedRowBlock rows = keyed.block();
            for (int row = 0; row < rows.rows(); row++) {
                long views = rows.low()[row];
                if (views > 0) { // a campaign without views in its next window has one row more, of zero
                    AdCounts.OF_PROCESS.add(rows.keyLow()[row], rows.windowEndMs(), views);
                }
            }
        }
    }

    /** Events as columns. */
    record Columns(int[] ads, byte[] types, long[] timesMs) {}

    private static void emit(AdLoad load, long first, int count, int step, ReaderOutput<Columns> output) {
        int[] ads = new int[count];
        byte[] types = new byte[count];
        long[] timesMs = new long[count];
        for (int i = 0; i < count; i++) {
            long event = first + (long) i * step;
            long draw = AdLoad.draw(event);
            ads[i] = load.ad(draw);
            types[i] = (byte) AdLoad.type(draw);
            timesMs[i] = load.timeMs(event);
        }
        output.collect(new Columns(ads, types, timesMs));
    }

    /** Leaves out what is no view, looks the campaign up, and gathers the rest per shard. */
    private static final class Route extends AbstractStreamOperator<KeyedShardBlock>
            implements OneInputStreamOperator<Columns, KeyedShardBlock>, BoundedOneInput {
        private static final int BLOCK_EVENTS = 1_024;

        private final AdLoad load;
        private transient int[] campaignOf;
        private transient PaneClock clock;
        private transient long[][] keys;
        private transient long[][] panes;
        private transient int[] gathered;

        Route(AdLoad load) {
            this.load = load;
        }

        @Override
        public void open() throws Exception {
            super.open();
            campaignOf = load.campaignOfAd();
            clock = new PaneClock(VIEW.windows().every().millis());
            keys = new long[Shards.COUNT][BLOCK_EVENTS];
            panes = new long[Shards.COUNT][BLOCK_EVENTS];
            gathered = new int[Shards.COUNT];
        }

        @Override
        public void processElement(StreamRecord<Columns> element) {
            Columns events = element.getValue();
            long pane = 0;
            long paneEndMs = Long.MIN_VALUE; // their times ascend
            for (int e = 0; e < events.ads().length; e++) {
                if (events.types()[e] == AdLoad.VIEW) {
                    if (events.timesMs()[e] >= paneEndMs) {
                        pane = clock.pane(events.timesMs()[e]);
                        paneEndMs = clock.endMs(pane + 1);
                    }
                    add(campaignOf[events.ads()[e]], pane);
                }
            }
        }

        private void add(long campaign, long pane) {
            int shard = Shards.of(KeyWord.of(campaign));
            int at = gathered[shard]++;
            keys[shard][at] = campaign;
            panes[shard][at] = pane;
            if (at == BLOCK_EVENTS - 1) {
                send(shard);
            }
        }

        private void send(int shard) {
            int events = gathered[shard];
            if (events > 0) {
                gathered[shard] = 0;
                long[] low = Arrays.copyOf(keys[shard], events);
                long[] of = Arrays.copyOf(panes[shard], events);
                output.collect(new StreamRecord<>(
                        new KeyedShardBlock(shard, new KeyedBlock(null, low, null, null, of, null, new long[0][]))));
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

        @Override
        public void endInput() {
            flush();
        }
    }
}
