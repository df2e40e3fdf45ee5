package io.thalweg.bench.advertising;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Flink's count of the views of a campaign, in two variants: {@code flink} keys the views by campaign and counts them in tumbling
 * windows; {@code flink_combined} does so with counts that an operator has combined before the exchange.
 */
final class FlinkCounts {
    /** The variant that combines. */
    static final String COMBINED = "flink_combined";

    private static final TumblingEventTimeWindows WINDOWS =
            TumblingEventTimeWindows.of(Duration.ofMillis(AdLoad.WINDOW_MS));

    private FlinkCounts() {}

    /**
     * Counts views.
     *
     * @param campaigns a view's campaign each
     * @param row makes a row of a window's count
     */
    static <K, R> SingleOutputStreamOperator<R> of(
            String system,
            DataStream<K> campaigns,
            TypeInformation<K> type,
            ProcessWindowFunction<Long, R, K, TimeWindow> row) {
        if (!system.equals(COMBINED)) {
            return campaigns.keyBy(campaign -> campaign, type).window(WINDOWS).aggregate(new Counting<>(), row);
        }
        return campaigns
                .transform("combine", Types.TUPLE(type, Types.LONG), new Combine<>())
                .keyBy(count -> count.f0, type)
                .window(WINDOWS)
                .aggregate(new Adding<>(), row);
    }

    /** Counts the elements of a window, as stock Flink does. */
    private static class Counting<T> implements AggregateFunction<T, Long, Long> {
        @Override
        public Long createAccumulator() {
            return 0L;
        }

        @Override
        public Long add(T event, Long count) {
            return count + 1;
        }

        @Override
        public Long getResult(Long count) {
            return count;
        }

        @Override
        public Long merge(Long a, Long b) {
            return a + b;
        }
    }

    /** Sums counts that were combined before the exchange. */
    private static final class Adding<K> extends Counting<Tuple2<K, Long>> {
        @Override
        public Long add(Tuple2<K, Long> count, Long sum) {
            return sum + count.f1;
        }
    }

    /**
     * Counts the views of a window's campaigns before the exchange, until the window ends, a checkpoint begins, or there are too
     * many campaigns.
     */
    private static final class Combine<K> extends AbstractStreamOperator<Tuple2<K, Long>>
            implements OneInputStreamOperator<K, Tuple2<K, Long>> {
        private static final long serialVersionUID = 1L;
        private static final int MOST_CAMPAIGNS = 1 << 16;

        private final TreeMap<Long, Map<K, long[]>> windows = new TreeMap<>();
        private long startMs = Long.MIN_VALUE;
        private Map<K, long[]> counts = new HashMap<>();

        @Override
        public void processElement(StreamRecord<K> campaign) {
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
            for (Iterator<Map.Entry<Long, Map<K, long[]>>> each =
                            windows.entrySet().iterator();
                    each.hasNext(); ) {
                Map.Entry<Long, Map<K, long[]>> window = each.next();
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
}
