package io.thalweg.bench.advertising;

import io.thalweg.bench.rivals.RivalFlink;
import java.nio.file.Path;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Flink: filters the events, maps them through the table, and counts them as {@link FlinkCounts} does. */
final class FlinkAds {
    private FlinkAds() {}

    static void run(String system, AdLoad load, int parallelism, Path checkpoints) throws Exception {
        StreamExecutionEnvironment environment = RivalFlink.environment(parallelism, checkpoints);
        DataStream<Integer> campaigns = environment
                .fromSource(
                        new AdSource<>(load, parallelism, () -> FlinkAds::emit),
                        WatermarkStrategy.noWatermarks(),
                        "ads",
                        TypeInformation.of(AdEvent.class))
                .filter(event -> event.eventType == AdLoad.VIEW)
                .map(event -> load.campaignOfAd()[event.adId])
                .returns(Types.INT);
        FlinkCounts.of(system, campaigns, Types.INT, new Row()).sinkTo(new DiscardingSink<>());
        environment.execute("advertising");
    }

    private static void emit(AdLoad load, long first, int count, int step, ReaderOutput<AdEvent> output) {
        for (int i = 0; i < count; i++) {
            AdEvent event = new AdEvent(load, first + (long) i * step);
            output.collect(event, event.eventTimeMs);
        }
    }

    private static final class Row extends ProcessWindowFunction<Long, Long, Integer, TimeWindow> {
        @Override
        public void process(Integer campaign, Context context, Iterable<Long> counts, Collector<Long> out) {
            long count = counts.iterator().next();
            AdCounts.OF_PROCESS.add(campaign, context.window().getEnd(), count);
            out.collect(count);
        }
    }
}
