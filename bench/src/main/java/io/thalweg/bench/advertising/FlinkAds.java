package io.thalweg.bench.advertising;

import io.thalweg.bench.rivals.RivalFlink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.util.Collector;

/**
 * Flink in three variants. All filter the events and map them through the table. {@code flink} then keys them by campaign and
 * counts them in tumbling windows; {@code flink_combined} does so with counts that an operator has combined before the exchange;
 * {@code flink_sql} leaves both to Flink's planner.
 */
final class FlinkAds {
    private static final TumblingEventTimeWindows WINDOWS =
            TumblingEventTimeWindows.of(Duration.ofMillis(AdLoad.WINDOW_MS));

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
        DataStream<?> counts = switch (system) {
            case "flink" -> each(campaigns);
            case "flink_combined" -> combined(campaigns);
            case "flink_sql" -> sql(environment, campaigns);
            default -> throw new IllegalArgumentException("no system is called " + system);
        };
        counts.sinkTo(new DiscardingSink<>());
        environment.execute("advertising");
    }

    private static void emit(AdLoad load, long first, int count, int step, ReaderOutput<AdEvent> output) {
        for (int i = 0; i < count; i++) {
            AdEvent event = new AdEvent(load, first + (long) i * step);
            output.collect(event, event.eventTimeMs);
        }
    }

    private static DataStream<Long> each(DataStream<Integer> campaigns) {
        return campaigns.keyBy(campaign -> campaign).window(WINDOWS).aggregate(new Counting<>(), new Row());
    }

    private static DataStream<Long> combined(DataStream<Integer> campaigns) {
        return campaigns
                .transform("combine", Types.TUPLE(Types.INT, Types.LONG), new Combine())
                .keyBy(count -> count.f0)
                .window(WINDOWS)
                .aggregate(new Adding(), new Row());
    }

    private static DataStream<Long> sql(StreamExecutionEnvironment environment, DataStream<Integer> campaigns) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        tables.getConfig().set("table.optimizer.agg-phase-strategy", "TWO_PHASE");
        tables.createTemporaryView(
                "shown",
                campaigns,
                Schema.newBuilder()
                        .column("f0", "INT NOT NULL")
                        .columnByMetadata("t", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                        .watermark("t", "SOURCE_WATERMARK()")
                        .build());
        return tables.toDataStream(tables.sqlQuery("""
                        SELECT f0, window_time, COUNT(*)
                        FROM TABLE(TUMBLE(TABLE shown, DESCRIPTOR(t), INTERVAL '%d' SECOND))
                        GROUP BY window_start, window_end, window_time, f0
                        """.formatted(AdLoad.WINDOW_MS / 1_000)))
                .map(row -> {
                    long windowEndMs = ((Instant) row.getFieldAs(1)).toEpochMilli() + 1;
                    long count = row.<Long>getFieldAs(2);
                    AdResults.add(row.<Integer>getFieldAs(0), windowEndMs, count);
                    return count;
                })
                .returns(Types.LONG);
    }

    /**
     * Counts the views of a window's campaigns before the exchange, until the window ends, a checkpoint begins, or there are too
     * many campaigns.
     */
    private static final class Combine extends AbstractStreamOperator<Tuple2<Integer, Long>>
            implements OneInputStreamOperator<Integer, Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private static final int MOST_CAMPAIGNS = 1 << 16;

        private final TreeMap<Long, Map<Integer, long[]>> windows = new TreeMap<>();
        private long startMs = Long.MIN_VALUE;
        private Map<Integer, long[]> counts = new HashMap<>();

        @Override
        public void processElement(StreamRecord<Integer> campaign) {
            long start = TimeWindow.getWindowStartWithOffset(campaign.getTimestamp(), 0, AdLoad.WINDOW_MS);
            if (start != startMs) {
                startMs = start;
                counts = windows.computeIfAbsent(start, ms -> new HashMap<>());
            }
            counts.computeIfAbsent(campaign.getValue(), each -> new long[1])[0]++;
            if (counts.size() > MOST_CAMPAIGNS) {
                send(Long.MAX_VALUE);
            }
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            send(mark.getTimestamp());
            super.processWatermark(mark);
        }

        @Override
        public void prepareSnapshotPreBarrier(long checkpointId) {
            send(Long.MAX_VALUE);
        }

        /** Emits the counts of all windows whose last millisecond has passed. */
        private void send(long watermarkMs) {
            for (Iterator<Map.Entry<Long, Map<Integer, long[]>>> each =
                            windows.entrySet().iterator();
                    each.hasNext(); ) {
                Map.Entry<Long, Map<Integer, long[]>> window = each.next();
                long lastMs = window.getKey() + AdLoad.WINDOW_MS - 1;
                if (lastMs > watermarkMs) {
                    return;
                }
                window.getValue()
                        .forEach((campaign, count) ->
                                output.collect(new StreamRecord<>(Tuple2.of(campaign, count[0]), lastMs)));
                each.remove();
                startMs = Long.MIN_VALUE;
            }
        }
    }

    /** Sums counts that were combined before the exchange. */
    private static final class Adding extends Counting<Tuple2<Integer, Long>> {
        @Override
        public Long add(Tuple2<Integer, Long> count, Long sum) {
            return sum + count.f1;
        }
    }

    private static final class Row extends ProcessWindowFunction<Long, Long, Integer, TimeWindow> {
        @Override
        public void process(Integer campaign, Context context, Iterable<Long> counts, Collector<Long> out) {
            long count = counts.iterator().next();
            AdResults.add(campaign, context.window().getEnd(), count);
            out.collect(count);
        }
    }
}
