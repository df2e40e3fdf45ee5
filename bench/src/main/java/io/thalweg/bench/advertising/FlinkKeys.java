package io.thalweg.bench.advertising;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Stock Flink: key by, a tumbling window of an hour with an incremental count. */
final class FlinkKeys {
    private FlinkKeys() {}

    static void build(StreamExecutionEnvironment environment, KeyLoad load, int parallelism) {
        environment
                .fromSource(
                        new AdSource<>(load, parallelism, () -> FlinkKeys::emit),
                        WatermarkStrategy.noWatermarks(),
                        "keys",
                        Types.LONG)
                .keyBy(key -> key)
                .window(TumblingEventTimeWindows.of(Duration.ofMillis(KeyLoad.WINDOW_MS)))
                .aggregate(new Counting<>(), new Row())
                .sinkTo(new DiscardingSink<>());
    }

    private static void emit(KeyLoad load, long first, int count, int step, ReaderOutput<Long> output) {
        for (int i = 0; i < count; i++) {
            output.collect((long) load.key(first + (long) i * step), KeyLoad.TIME_MS);
        }
    }

    private static final class Row extends ProcessWindowFunction<Long, Long, Long, TimeWindow> {
        @Override
        public void process(Long key, Context context, Iterable<Long> counts, Collector<Long> out) {
            long count = counts.iterator().next();
            KeyCounts.OF_PROCESS.add(1, count, count * KeyLoad.weight(key));
            out.collect(count);
        }
    }
}
