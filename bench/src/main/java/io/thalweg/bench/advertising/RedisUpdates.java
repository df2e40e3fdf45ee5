package io.thalweg.bench.advertising;

import io.thalweg.bench.rivals.RivalFlink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Windows that live in Redis: each view adds one to its window's count there. The events and the join are Thalweg's, and the
 * commands of a block of events go over one connection at once while the replies of the block before are awaited.
 *
 * <p><b>Density.</b> A load spans ten windows however many events it has, so a slow system counts fewer views per window, and opens a
 * window for more of its views. Rates of two systems compare only at equal numbers of events.
 */
final class RedisUpdates {
    private RedisUpdates() {}

    static void run(AdLoad load, int parallelism, Path checkpoints, int redisPort) throws Exception {
        StreamExecutionEnvironment environment = RivalFlink.environment(parallelism, checkpoints);
        environment
                .fromSource(
                        ThalwegAds.source(load, parallelism),
                        WatermarkStrategy.noWatermarks(),
                        "ads",
                        ThalwegAds.EVENTS)
                .transform("update", Types.VOID, new Update(load, redisPort));
        environment.execute("advertising");
    }

    private static final class Update extends AbstractStreamOperator<Void>
            implements OneInputStreamOperator<ThalwegAds.Columns, Void>, BoundedOneInput {
        private final AdLoad load;
        private final int redisPort;
        private transient int[] campaignOf;
        private transient AdStore redis;
        /** Campaign by campaign and window by window, those that Redis has in its lists. */
        private transient BitSet listed;

        private transient int awaited;

        Update(AdLoad load, int redisPort) {
            this.load = load;
            this.redisPort = redisPort;
        }

        @Override
        public void open() throws Exception {
            super.open();
            campaignOf = load.campaignOfAd();
            redis = new AdStore(redisPort);
            listed = new BitSet();
            awaited = 0;
        }

        @Override
        public void processElement(StreamRecord<ThalwegAds.Columns> element) throws IOException {
            ThalwegAds.Columns events = element.getValue();
            int before = awaited;
            awaited = 0;
            for (int e = 0; e < events.ads().length; e++) {
                if (events.types()[e] == AdLoad.VIEW) {
                    increment(campaignOf[events.ads()[e]], events.timesMs()[e]);
                }
            }
            redis.send();
            redis.skip(before);
        }

        private void increment(int campaign, long timeMs) {
            int window = AdLoad.window(timeMs);
            int place = window * load.campaigns() + campaign;
            boolean unseen = !listed.get(place);
            listed.set(place);
            awaited += redis.increment(campaign, AdLoad.START_MS + window * AdLoad.WINDOW_MS, unseen);
        }

        private void settle() throws IOException {
            redis.skip(awaited);
            awaited = 0;
        }

        @Override
        public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
            settle();
        }

        @Override
        public void endInput() throws Exception {
            settle();
        }

        @Override
        public void close() throws Exception {
            if (redis != null) {
                redis.close();
            }
            super.close();
        }
    }
}
