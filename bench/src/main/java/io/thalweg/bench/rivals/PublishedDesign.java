package io.thalweg.bench.rivals;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
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
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.jspecify.annotations.Nullable;

/**
 * The design that was published first: distinct riders per hexagon, product and minute; a flat map of each count to every cell of
 * the largest ring; for each size its own window over them; and a merge of the sizes into one row.
 */
final class PublishedDesign {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final TypeInformation<long[]> SUMS = PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO;
    private static final TypeInformation<Tuple2<Long, String>> KEY = Types.TUPLE(Types.LONG, Types.STRING);

    private PublishedDesign() {}

    /** The relevant fields of an event. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @SuppressWarnings("NullAway.Init") // Jackson fills it
    static final class Event {
        public String event_type;
        public String rider_id;
        public String product_id;
        public double lat;
        public double lng;
    }

    /** Parses an event as most programs do; null for another kind. */
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
                        (key, window, riders, out) -> out.collect(
                                Tuple3.of(key.f0, key.f1, riders.iterator().next())),
                        new SetTypeInfo<>(Types.STRING),
                        Types.TUPLE(Types.LONG, Types.STRING, Types.INT));
        DataStream<Tuple4<Long, String, Integer, Integer>> near =
                counts.flatMap(Hexagons::spread, Types.TUPLE(Types.LONG, Types.STRING, Types.INT, Types.INT));
        DataStream<Tuple4<Long, String, Integer, long[]>> sums = window(near, 0);
        for (int w = 1; w < Hexagons.WINDOWS.length; w++) {
            sums = sums.union(window(near, w));
        }
        DataStream<byte[]> merged = sums.keyBy(sum -> Tuple2.of(sum.f0, sum.f1), KEY)
                .window(TumblingEventTimeWindows.of(MINUTE))
                .aggregate(
                        new Merge(),
                        (key, minute, row, out) -> out.collect(RivalRow.bytes(
                                minute.getEnd(), key.f0, key.f1, row.iterator().next())),
                        SUMS,
                        RivalFlink.rowType());
        RivalFlink.write(merged, bootstrap, rows);
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
                        (key, end, sums, out) -> out.collect(
                                Tuple4.of(key.f0, key.f1, w, sums.iterator().next())),
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

    /** An array of numbers to which values are added. */
    private abstract static class Sums<T> implements AggregateFunction<T, long[], long[]> {
        private final int length;

        Sums(int length) {
            this.length = length;
        }

        @Override
        public final long[] createAccumulator() {
            return new long[length];
        }

        @Override
        public final long[] getResult(long[] sums) {
            return sums;
        }

        @Override
        public final long[] merge(long[] a, long[] b) {
            Arrays.setAll(a, i -> a[i] + b[i]);
            return a;
        }
    }

    /** Sums per ring: a count at distance d counts for every ring that reaches d. */
    private static final class RingSums extends Sums<Tuple4<Long, String, Integer, Integer>> {
        RingSums() {
            super(Hexagons.RINGS.length);
        }

        @Override
        public long[] add(Tuple4<Long, String, Integer, Integer> count, long[] sums) {
            for (int ring = count.f2; ring < sums.length; ring++) {
                sums[ring] += count.f3;
            }
            return sums;
        }
    }

    /** Merges the sums of all sizes into one row. */
    private static final class Merge extends Sums<Tuple4<Long, String, Integer, long[]>> {
        Merge() {
            super(Hexagons.FEATURES);
        }

        @Override
        public long[] add(Tuple4<Long, String, Integer, long[]> of, long[] row) {
            for (int ring = 0; ring < of.f3.length; ring++) {
                row[ring * Hexagons.WINDOWS.length + of.f2] = of.f3[ring];
            }
            return row;
        }
    }
}
