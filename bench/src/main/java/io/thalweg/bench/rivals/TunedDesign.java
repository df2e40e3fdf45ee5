package io.thalweg.bench.rivals;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.typeutils.SetTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The published design as it was tuned: numbers instead of texts, riders counted once before anything is spread, only the
 * wanted fields read, and in place of six windows one function with its own state: a circle of minutes per hexagon and product,
 * from which all sizes are summed when a minute ends.
 */
final class TunedDesign {
    private static final long MINUTE_MS = 60_000;
    private static final int MINUTES = Hexagons.WINDOWS[Hexagons.WINDOWS.length - 1];
    /** As many places as there are minutes in the largest window, and again as many for those that come before their time. */
    private static final int PLACES = 2 * MINUTES;

    private static final int RINGS = Hexagons.RINGS.length;

    private TunedDesign() {}

    /** Reads cell, product's number and rider's 64 bits, field by field; null for an event of another kind. */
    static final class Decoder extends AbstractDeserializationSchema<Tuple3<Long, Integer, Long>> {
        private static final JsonFactory JSON = new JsonFactory();

        private final String[] products;

        Decoder(String[] products) {
            super(Types.TUPLE(Types.LONG, Types.INT, Types.LONG));
            this.products = products.clone();
        }

        @Override
        public @Nullable Tuple3<Long, Integer, Long> deserialize(byte[] message) throws IOException {
            double lat = 0;
            double lng = 0;
            long rider = 0;
            int product = -1;
            try (JsonParser in = JSON.createParser(message)) {
                in.nextToken();
                for (String field = in.nextFieldName(); field != null; field = in.nextFieldName()) {
                    JsonToken value = in.nextToken();
                    switch (field) {
                        case "event_type" -> {
                            String type = in.getText();
                            if (!type.equals("request") && !type.equals("app_open")) {
                                return null;
                            }
                        }
                        case "rider_id" -> rider = bits(in.getTextCharacters(), in.getTextOffset(), in.getTextLength());
                        case "product_id" -> product = Arrays.asList(products).indexOf(in.getText());
                        case "lat" -> lat = in.getDoubleValue();
                        case "lng" -> lng = in.getDoubleValue();
                        case "ts" -> {
                            // The last field that counts: the rest is not looked at.
                            return Tuple3.of(Hexagons.cell(lat, lng), product, rider);
                        }
                        default -> {
                            if (value.isStructStart()) {
                                in.skipChildren();
                            }
                        }
                    }
                }
            }
            return null;
        }

        /** 64 bits of a random UUID's digits: none of them meet in so few. */
        private static long bits(char[] text, int from, int length) {
            long hash = 0;
            for (int i = from; i < from + length; i++) {
                hash = hash * 0x100000001B3L ^ text[i];
            }
            return hash;
        }
    }

    static void build(
            StreamExecutionEnvironment environment, String bootstrap, String events, String rows, String[] products) {
        Decoder decoder = new Decoder(products);
        DataStream<byte[]> out = RivalFlink.read(environment, bootstrap, events, decoder, decoder.getProducedType())
                .keyBy(event -> Tuple2.of(event.f0, event.f1), Types.TUPLE(Types.LONG, Types.INT))
                .process(new CountOnce())
                .returns(Types.TUPLE(Types.LONG, Types.INT, Types.INT))
                .<Tuple4<Long, Integer, Integer, Integer>>flatMap(Hexagons::spread)
                .returns(Types.TUPLE(Types.LONG, Types.INT, Types.INT, Types.INT))
                .keyBy(count -> Tuple2.of(count.f0, count.f1), Types.TUPLE(Types.LONG, Types.INT))
                .process(new Slide(products))
                .returns(RivalFlink.rowType());
        RivalFlink.write(out, bootstrap, rows);
    }

    /**
     * Keeps the riders of the open minutes, and sends their number when one ends. More than two are open where one partition
     * is read faster than another.
     */
    private static final class CountOnce
            extends KeyedProcessFunction<
                    Tuple2<Long, Integer>, Tuple3<Long, Integer, Long>, Tuple3<Long, Integer, Integer>> {
        private transient MapState<Long, Set<Long>> minutes;

        @Override
        public void open(OpenContext context) {
            minutes = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>("minutes", Types.LONG, new SetTypeInfo<>(Types.LONG)));
        }

        @Override
        public void processElement(
                Tuple3<Long, Integer, Long> event, Context context, Collector<Tuple3<Long, Integer, Integer>> out)
                throws Exception {
            long minute = Math.floorDiv(Objects.requireNonNull(context.timestamp()), MINUTE_MS);
            Set<Long> riders = minutes.get(minute);
            if (riders == null) {
                riders = new HashSet<>();
                minutes.put(minute, riders);
                context.timerService().registerEventTimeTimer((minute + 1) * MINUTE_MS - 1);
            }
            riders.add(event.f2);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<Tuple3<Long, Integer, Integer>> out)
                throws Exception {
            long minute = Math.floorDiv(timestamp, MINUTE_MS);
            out.collect(Tuple3.of(
                    context.getCurrentKey().f0,
                    context.getCurrentKey().f1,
                    minutes.get(minute).size()));
            minutes.remove(minute);
        }
    }

    /** Keeps the last minutes' counts per ring, and sends a row at the end of each in which any counts. */
    private static final class Slide
            extends KeyedProcessFunction<Tuple2<Long, Integer>, Tuple4<Long, Integer, Integer, Integer>, byte[]> {
        private final String[] products;
        private transient ValueState<int[]> circle;

        Slide(String[] products) {
            this.products = products.clone();
        }

        @Override
        public void open(OpenContext context) {
            circle = getRuntimeContext()
                    .getState(
                            new ValueStateDescriptor<>("circle", PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Integer> count, Context context, Collector<byte[]> out)
                throws Exception {
            long minute = Math.floorDiv(Objects.requireNonNull(context.timestamp()), MINUTE_MS);
            int[] minutes = circle.value();
            if (minutes == null) {
                minutes = new int[PLACES * RINGS];
                circle.update(minutes);
                context.timerService().registerEventTimeTimer((minute + 1) * MINUTE_MS - 1);
            }
            minutes[(int) (minute % PLACES) * RINGS + count.f2] += count.f3;
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<byte[]> out) throws Exception {
            long minute = Math.floorDiv(timestamp, MINUTE_MS);
            int[] minutes = circle.value();
            long[] sums = new long[Hexagons.FEATURES];
            long[] rings = new long[RINGS];
            for (int back = 0, w = 0; back < MINUTES; back++) {
                int at = (int) Math.floorMod(minute - back, (long) PLACES) * RINGS;
                for (int ring = 0; ring < RINGS; ring++) {
                    rings[ring] += minutes[at + ring];
                }
                if (back + 1 == Hexagons.WINDOWS[w]) {
                    long within = 0;
                    for (int ring = 0; ring < RINGS; ring++) {
                        within += rings[ring];
                        sums[ring * Hexagons.WINDOWS.length + w] = within;
                    }
                    w++;
                }
            }
            if (sums[sums.length - 1] == 0) {
                circle.clear();
                return;
            }
            Tuple2<Long, Integer> key = context.getCurrentKey();
            out.collect(RivalRow.bytes((minute + 1) * MINUTE_MS, key.f0, products[key.f1], sums));
            // The oldest minute leaves the largest window; its place is that of one to come.
            int oldest = (int) Math.floorMod(minute + 1 - MINUTES, (long) PLACES) * RINGS;
            Arrays.fill(minutes, oldest, oldest + RINGS, 0);
            circle.update(minutes);
            context.timerService().registerEventTimeTimer((minute + 2) * MINUTE_MS - 1);
        }
    }
}
