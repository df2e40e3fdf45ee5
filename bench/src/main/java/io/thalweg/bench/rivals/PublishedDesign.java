package io.thalweg.bench.rivals;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.typeutils.SetTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The design that was published first: distinct riders per hexagon, product and minute; a flat map of each count to every cell
 * of the largest ring; for each size a window of its own over them; and a merge of the sizes into one row.
 */
final class PublishedDesign {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final TypeInformation<long[]> SUMS = PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO;
    private static final TypeInformation<Tuple2<Long, String>> KEY = Types.TUPLE(Types.LONG, Types.STRING);

    private PublishedDesign() {}

    /** The fields of an event that count. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SuppressWarnings("NullAway.Init") // Jackson fills it
    static final class Event {
        public String event_type;
        public String rider_id;
        public String product_id;
        public double lat;
        public double lng;
    }

    /** Reads an event as most do; null for one of another kind. */
    static final class Decoder extends AbstractDeserializationSchema<Tuple3<Long, String, String>> {
        private static final ObjectReader JSON = new ObjectMapper().readerFor(Event.class);

        Decoder() {
            super(Types.TUPLE(Types.LONG, Types.STRING, Types.STRING));
        }

        @Override
        public @Nullable Tuple3<Long, String, String> deserialize(byte[] message) throws IOException {
            Event event = JSON.readValue(message);
            if (!event.event_type.equals("request") && !event.event_type.equals("app_open")) {
                return null;
            }
            return Tuple3.of(Hexagons.cell(event.lat, event.lng), event.product_id, event.rider_id);
        }
    }

    static void build(StreamExecutionEnvironment environment, String bootstrap, String events, String rows) {
        Decoder decoder = new Decoder();
        DataStream<Tuple3<Long, String, Integer>> counts = RivalFlink.read(
                        environment, bootstrap, events, decoder, decoder.getProducedType())
                .keyBy(event -> Tuple2.of(event.f0, event.f1), KEY)
                .window(TumblingEventTimeWindows.of(MINUTE))
                .aggregate(
                        new DistinctRiders(),
                        new Counted(),
                        new SetTypeInfo<>(Types.STRING),
                        Types.INT,
                        Types.TUPLE(Types.LONG, Types.STRING, Types.INT));
        // cell, product, place of the smallest ring that reaches it, count
        DataStream<Tuple4<Long, String, Integer, Integer>> near = counts.flatMap(PublishedDesign::spread)
                .returns(Types.TUPLE(Types.LONG, Types.STRING, Types.INT, Types.INT));
        DataStream<Tuple4<Long, String, Integer, long[]>> sums = window(near, 0);
        for (int w = 1; w < Hexagons.WINDOWS.length; w++) {
            sums = sums.union(window(near, w));
        }
        DataStream<byte[]> merged = sums.keyBy(sum -> Tuple2.of(sum.f0, sum.f1), KEY)
                .window(TumblingEventTimeWindows.of(MINUTE))
                .aggregate(new Merge(), new Row(), SUMS, SUMS, RivalFlink.rowType());
        RivalFlink.write(merged, bootstrap, rows);
    }

    private static void spread(
            Tuple3<Long, String, Integer> count, Collector<Tuple4<Long, String, Integer, Integer>> out) {
        List<List<Long>> around = Hexagons.around(count.f0);
        for (int distance = 0; distance < around.size(); distance++) {
            int ring = Hexagons.firstRing(distance);
            for (long cell : around.get(distance)) {
                out.collect(Tuple4.of(cell, count.f1, ring, count.f2));
            }
        }
    }

    private static DataStream<Tuple4<Long, String, Integer, long[]>> window(
            DataStream<Tuple4<Long, String, Integer, Integer>> near, int w) {
        Duration size = MINUTE.multipliedBy(Hexagons.WINDOWS[w]);
        WindowAssigner<Object, TimeWindow> assigner =
                w == 0 ? TumblingEventTimeWindows.of(MINUTE) : SlidingEventTimeWindows.of(size, MINUTE);
        return near.keyBy(count -> Tuple2.of(count.f0, count.f1), KEY)
                .window(assigner)
                .aggregate(
                        new RingSums(),
                        new OfWindow(w),
                        SUMS,
                        SUMS,
                        Types.TUPLE(Types.LONG, Types.STRING, Types.INT, SUMS));
    }

    private static final class DistinctRiders
            implements AggregateFunction<Tuple3<Long, String, String>, Set<String>, Integer> {
        @Override
        public Set<String> createAccumulator() {
            return new HashSet<>();
        }

        @Override
        public Set<String> add(Tuple3<Long, String, String> event, Set<String> riders) {
            riders.add(event.f2);
            return riders;
        }

        @Override
        public Integer getResult(Set<String> riders) {
            return riders.size();
        }

        @Override
        public Set<String> merge(Set<String> a, Set<String> b) {
            a.addAll(b);
            return a;
        }
    }

    private static final class Counted
            extends ProcessWindowFunction<Integer, Tuple3<Long, String, Integer>, Tuple2<Long, String>, TimeWindow> {
        @Override
        public void process(
                Tuple2<Long, String> key,
                Context context,
                Iterable<Integer> counts,
                Collector<Tuple3<Long, String, Integer>> out) {
            out.collect(Tuple3.of(key.f0, key.f1, counts.iterator().next()));
        }
    }

    /** Sums per ring: a count within distance d counts for every ring that reaches d. */
    private static final class RingSums
            implements AggregateFunction<Tuple4<Long, String, Integer, Integer>, long[], long[]> {
        @Override
        public long[] createAccumulator() {
            return new long[Hexagons.RINGS.length];
        }

        @Override
        public long[] add(Tuple4<Long, String, Integer, Integer> count, long[] sums) {
            for (int ring = count.f2; ring < sums.length; ring++) {
                sums[ring] += count.f3;
            }
            return sums;
        }

        @Override
        public long[] getResult(long[] sums) {
            return sums;
        }

        @Override
        public long[] merge(long[] a, long[] b) {
            return plus(a, b);
        }
    }

    private static long[] plus(long[] a, long[] b) {
        for (int i = 0; i < a.length; i++) {
            a[i] += b[i];
        }
        return a;
    }

    private static final class OfWindow
            extends ProcessWindowFunction<
                    long[], Tuple4<Long, String, Integer, long[]>, Tuple2<Long, String>, TimeWindow> {
        private final int window;

        OfWindow(int window) {
            this.window = window;
        }

        @Override
        public void process(
                Tuple2<Long, String> key,
                Context context,
                Iterable<long[]> sums,
                Collector<Tuple4<Long, String, Integer, long[]>> out) {
            out.collect(Tuple4.of(key.f0, key.f1, window, sums.iterator().next()));
        }
    }

    private static final class Merge
            implements AggregateFunction<Tuple4<Long, String, Integer, long[]>, long[], long[]> {
        @Override
        public long[] createAccumulator() {
            return new long[Hexagons.FEATURES];
        }

        @Override
        public long[] add(Tuple4<Long, String, Integer, long[]> of, long[] row) {
            for (int ring = 0; ring < of.f3.length; ring++) {
                row[ring * Hexagons.WINDOWS.length + of.f2] = of.f3[ring];
            }
            return row;
        }

        @Override
        public long[] getResult(long[] row) {
            return row;
        }

        @Override
        public long[] merge(long[] a, long[] b) {
            return plus(a, b);
        }
    }

    private static final class Row extends ProcessWindowFunction<long[], byte[], Tuple2<Long, String>, TimeWindow> {
        @Override
        public void process(Tuple2<Long, String> key, Context context, Iterable<long[]> rows, Collector<byte[]> out) {
            out.collect(RivalRow.bytes(
                    context.window().getEnd(), key.f0, key.f1, rows.iterator().next()));
        }
    }
}
