package io.thalweg.bench.rivals;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.uber.h3core.util.CoordIJ;
import io.thalweg.bench.rivals.Hexagons.RivalRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.typeutils.SetTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The published design, tuned on stock Flink. Only the wanted fields are read, as numbers. Keys are tiles of up to 2,401
 * hexagons. Each reader drops an event that it has recently sent. A tile spreads its counts on a grid, which combines them, and
 * sends each neighbouring tile one message a minute. There, a ring buffer of minutes per hexagon replaces the six windows.
 */
final class TunedDesign {
    private static final long MINUTE_MS = 60_000;
    private static final int MINUTES = Hexagons.WINDOWS[Hexagons.WINDOWS.length - 1];
    private static final int RINGS = Hexagons.RINGS.length;
    static final int TILE_RESOLUTION = 5;

    private TunedDesign() {}

    /** Reads cell, product number and 64 bits of the rider, field by field; null for an event of another kind. */
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
                            // The last relevant field; the rest is not parsed.
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

        /** Returns 64 bits of a random UUID's digits, which do not collide among so few riders. */
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
                .process(new DropRepeats())
                .returns(Types.TUPLE(Types.LONG, Types.INT, Types.LONG, Types.LONG))
                .keyBy(event -> Tuple2.of(event.f0, event.f1), Types.TUPLE(Types.LONG, Types.INT))
                .process(new CountAndSpread())
                .returns(Types.TUPLE(
                        Types.LONG,
                        Types.INT,
                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO,
                        PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO))
                .keyBy(counts -> Tuple2.of(counts.f0, counts.f1), Types.TUPLE(Types.LONG, Types.INT))
                .process(new Slide(products))
                .returns(RivalFlink.rowType());
        RivalFlink.write(out, bootstrap, rows);
    }

    private static long minute(@Nullable Long timestamp) {
        return Math.floorDiv(Objects.requireNonNull(timestamp), MINUTE_MS);
    }

    private static long end(long minute) {
        return (minute + 1) * MINUTE_MS - 1;
    }

    /**
     * Drops events that this reader has sent before in the same minute, and adds the tile to the others. This is a cache, not
     * state: riders are also counted only once downstream.
     */
    private static final class DropRepeats
            extends ProcessFunction<Tuple3<Long, Integer, Long>, Tuple4<Long, Integer, Long, Long>> {
        private final Map<Long, Set<Tuple3<Long, Integer, Long>>> sent = new HashMap<>();

        @Override
        public void processElement(
                Tuple3<Long, Integer, Long> event, Context context, Collector<Tuple4<Long, Integer, Long, Long>> out) {
            long minute = minute(context.timestamp());
            Set<Tuple3<Long, Integer, Long>> before = sent.get(minute);
            if (before == null) {
                before = new HashSet<>();
                sent.put(minute, before);
                long watermark = context.timerService().currentWatermark();
                sent.keySet().removeIf(each -> end(each) <= watermark);
            }
            if (before.add(event)) {
                out.collect(
                        Tuple4.of(Hexagons.H3.cellToParent(event.f0, TILE_RESOLUTION), event.f1, event.f0, event.f2));
            }
        }
    }

    /** A tile and its surroundings in H3's local coordinates, in which all disks have the same offsets. Counts per hexagon and ring. */
    static final class Grid {
        /** The outermost hexagons of a tile are less than half as far from its centre, and the surrounding ones 20 more. */
        private static final int HALF = 64;

        private static final int SIDE = 2 * HALF;
        private static final int[] DISK = disk();

        private final int[] counts = new int[SIDE * SIDE * RINGS];
        private long centre;
        private CoordIJ corner = new CoordIJ(0, 0);

        /** Returns the offsets of all hexagons around one. */
        private static int[] disk() {
            int reach = Hexagons.LARGEST_RING;
            return IntStream.rangeClosed(-reach, reach)
                    .flatMap(i -> IntStream.rangeClosed(Math.max(-reach, i - reach), Math.min(reach, i + reach))
                            .map(j -> {
                                int distance = Math.max(Math.abs(i - j), Math.max(Math.abs(i), Math.abs(j)));
                                return (i * SIDE + j) * RINGS + Hexagons.ring(distance);
                            }))
                    .toArray();
        }

        void moveTo(long tile) {
            Arrays.fill(counts, 0);
            centre = Hexagons.H3.cellToCenterChild(tile, Hexagons.RESOLUTION);
            CoordIJ at = Hexagons.H3.cellToLocalIj(centre, centre);
            corner = new CoordIJ(at.i - HALF, at.j - HALF);
        }

        void spread(long cell, int count) {
            CoordIJ at = Hexagons.H3.cellToLocalIj(centre, cell);
            int place = ((at.i - corner.i) * SIDE + at.j - corner.j) * RINGS;
            for (int offset : DISK) {
                counts[place + offset] += count;
            }
        }

        private boolean isCounted(int from) {
            for (int i = from; i < from + RINGS; i++) {
                if (counts[i] != 0) {
                    return true;
                }
            }
            return false;
        }

        /** Returns the counts for each tile, including this one. */
        Map<Long, Counts> byTile() {
            Map<Long, Counts> tiles = new HashMap<>();
            for (int place = 0; place < SIDE * SIDE; place++) {
                int from = place * RINGS;
                if (isCounted(from)) {
                    long cell = Hexagons.H3.localIjToCell(
                            centre, new CoordIJ(corner.i + place / SIDE, corner.j + place % SIDE));
                    tiles.computeIfAbsent(Hexagons.H3.cellToParent(cell, TILE_RESOLUTION), tile -> new Counts())
                            .add(cell, counts, from);
                }
            }
            return tiles;
        }
    }

    /** Hexagons with the counts of all rings for each. */
    static final class Counts {
        private long[] cells = new long[64];
        private int[] rings = new int[cells.length * RINGS];
        private int size;

        void add(long cell, int[] from, int at) {
            if (size == cells.length) {
                cells = Arrays.copyOf(cells, 2 * size);
                rings = Arrays.copyOf(rings, cells.length * RINGS);
            }
            cells[size] = cell;
            System.arraycopy(from, at, rings, size * RINGS, RINGS);
            size++;
        }

        long[] cells() {
            return Arrays.copyOf(cells, size);
        }

        int[] rings() {
            return Arrays.copyOf(rings, size * RINGS);
        }
    }

    /**
     * Keeps the riders of a tile's open minutes, and spreads their number when a minute ends. More than two are open if one
     * partition is read faster than another.
     */
    private static final class CountAndSpread
            extends KeyedProcessFunction<
                    Tuple2<Long, Integer>, Tuple4<Long, Integer, Long, Long>, Tuple4<Long, Integer, long[], int[]>> {
        private transient MapState<Long, Map<Long, Set<Long>>> minutes;
        private transient Grid grid;

        @Override
        public void open(OpenContext context) {
            minutes = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>(
                            "minutes", Types.LONG, Types.MAP(Types.LONG, new SetTypeInfo<>(Types.LONG))));
            grid = new Grid();
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Long, Long> event,
                Context context,
                Collector<Tuple4<Long, Integer, long[], int[]>> out)
                throws Exception {
            long minute = minute(context.timestamp());
            Map<Long, Set<Long>> cells = minutes.get(minute);
            if (cells == null) {
                cells = new HashMap<>();
                minutes.put(minute, cells);
                context.timerService().registerEventTimeTimer(end(minute));
            }
            cells.computeIfAbsent(event.f2, cell -> new HashSet<>()).add(event.f3);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<Tuple4<Long, Integer, long[], int[]>> out)
                throws Exception {
            long minute = minute(timestamp);
            grid.moveTo(context.getCurrentKey().f0);
            minutes.get(minute).forEach((cell, riders) -> grid.spread(cell, riders.size()));
            minutes.remove(minute);
            grid.byTile()
                    .forEach((tile, counts) ->
                            out.collect(Tuple4.of(tile, context.getCurrentKey().f1, counts.cells(), counts.rings())));
        }
    }

    /** Holds the counts of the last 32 minutes per hexagon and ring, and emits a tile's rows when a minute ends. */
    private static final class Slide
            extends KeyedProcessFunction<Tuple2<Long, Integer>, Tuple4<Long, Integer, long[], int[]>, byte[]> {
        private final String[] products;
        private transient MapState<Long, List<Tuple2<long[], int[]>>> arrived;
        private transient MapState<Long, int[]> circles;

        Slide(String[] products) {
            this.products = products.clone();
        }

        @Override
        public void open(OpenContext context) {
            arrived = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>(
                            "arrived",
                            Types.LONG,
                            Types.LIST(Types.TUPLE(
                                    PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO,
                                    PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO))));
            circles = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>(
                            "circles", Types.LONG, PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO));
        }

        /** Adds counts, which wait for the end of their minute, because one tile may be minutes ahead of another. */
        @Override
        public void processElement(Tuple4<Long, Integer, long[], int[]> counts, Context context, Collector<byte[]> out)
                throws Exception {
            long minute = minute(context.timestamp());
            List<Tuple2<long[], int[]>> waiting = arrived.get(minute);
            if (waiting == null) {
                waiting = new ArrayList<>();
                arrived.put(minute, waiting);
                context.timerService().registerEventTimeTimer(end(minute));
            }
            waiting.add(Tuple2.of(counts.f2, counts.f3));
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<byte[]> out) throws Exception {
            long minute = minute(timestamp);
            List<Tuple2<long[], int[]>> counts = arrived.get(minute);
            if (counts != null) {
                for (Tuple2<long[], int[]> each : counts) {
                    add(each.f0, each.f1, place(minute));
                }
                arrived.remove(minute);
            }
            String product = products[context.getCurrentKey().f1];
            for (Iterator<Map.Entry<Long, int[]>> each = circles.iterator(); each.hasNext(); ) {
                Map.Entry<Long, int[]> circle = each.next();
                long[] sums = sums(circle.getValue(), minute);
                if (sums[sums.length - 1] == 0) {
                    each.remove();
                } else {
                    out.collect(RivalRow.bytes(end(minute) + 1, circle.getKey(), product, sums));
                    // The oldest minute leaves the largest window; its slot is reused for the next one.
                    Arrays.fill(circle.getValue(), place(minute + 1), place(minute + 1) + RINGS, 0);
                }
            }
            if (!circles.isEmpty()) {
                context.timerService().registerEventTimeTimer(end(minute + 1));
            }
        }

        private static int place(long minute) {
            return (int) Math.floorMod(minute, (long) MINUTES) * RINGS;
        }

        private void add(long[] cells, int[] rings, int place) throws Exception {
            for (int i = 0; i < cells.length; i++) {
                int[] circle = circles.get(cells[i]);
                if (circle == null) {
                    circle = new int[MINUTES * RINGS];
                    circles.put(cells[i], circle);
                }
                for (int ring = 0; ring < RINGS; ring++) {
                    circle[place + ring] += rings[i * RINGS + ring];
                }
            }
        }

        private static long[] sums(int[] circle, long minute) {
            long[] sums = new long[Hexagons.FEATURES];
            long[] rings = new long[RINGS];
            for (int back = 0, w = 0; back < MINUTES; back++) {
                int at = place(minute - back);
                for (int ring = 0; ring < RINGS; ring++) {
                    rings[ring] += circle[at + ring];
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
            return sums;
        }
    }
}
