package io.thalweg.bench.demand;

import io.thalweg.bench.rivals.Hexagons;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Recounts the rows of one window end from the events, drawn once more, in the plain way: it keeps per pane who counted, and adds
 * every count to all cells of the disk around it.
 *
 * <p><b>Threads.</b> One.
 */
final class Recount {
    /** A row's key. */
    record Key(long cell, String product) {}

    private final Cities cities;
    private final RiderEvents events;
    private final FeatureView view;
    private final long end;
    /** For each pane, the newest first and one more than the largest window has, the members of its pool who counted. */
    private final List<BitSet> counted = new ArrayList<>();

    private final int panes;
    private final int largestRing;

    /**
     * Draws the events of the panes that a window end's rows depend on. {@code fromMs} of the order is when the first event
     * arrived.
     */
    Recount(Generator.Order order, FeatureView view, long windowEndMs) {
        this.view = view;
        cities = order.cities();
        events = new RiderEvents(order.load(), cities, order.seed());
        end = windowEndMs / Load.MINUTE_MS;
        panes = view.windows().largestPanes();
        largestRing = Collections.max(view.rings());
        for (int back = 0; back <= panes; back++) {
            counted.add(new BitSet());
        }
        long firstTick = Math.max(order.fromMs(), (end - panes - 1) * Load.MINUTE_MS) / Load.TICK_MS;
        long lastTick = (windowEndMs + Load.MAX_DELAY_MS) / Load.TICK_MS;
        for (long tick = firstTick; tick <= lastTick; tick++) {
            draw(tick);
        }
    }

    private void draw(long tick) {
        int count = events.begin(tick);
        for (int e = 0; e < count; e++) {
            events.draw(tick, e, count);
            long back = end - 1 - Math.floorDiv(events.timeMs(), Load.MINUTE_MS);
            if (events.isCounted() && back >= 0 && back <= panes) {
                counted.get((int) back).set(events.placeInPool());
            }
        }
    }

    /** The number of distinct (rider, cell, product) of the newest pane. */
    long distinct() {
        return counted.get(0).cardinality();
    }

    /** Returns the number of rows: the cells within reach of a count of the largest window, or of the pane before it. */
    long rows() {
        List<Set<Long>> active = new ArrayList<>();
        cities.zones().forEach(zone -> active.add(new HashSet<>()));
        forEachCounted((back, zone, cell) -> active.get(zone).add(cell));
        return active.stream().mapToLong(cells -> reach(cells).size()).sum();
    }

    /** Returns all cells within the largest ring of these, step by step outwards. */
    private Set<Long> reach(Set<Long> cells) {
        Set<Long> reached = new HashSet<>(cells);
        Set<Long> border = cells;
        for (int step = 0; step < largestRing; step++) {
            Set<Long> next = new HashSet<>();
            for (long cell : border) {
                for (long near : HexTiling.disk(cell, 1)) {
                    if (reached.add(near)) {
                        next.add(near);
                    }
                }
            }
            border = next;
        }
        return reached;
    }

    private interface Counted {
        void at(int panesBack, int zone, long cell);
    }

    private void forEachCounted(Counted consumer) {
        for (int back = 0; back <= panes; back++) {
            long minute = end - 1 - back;
            BitSet who = counted.get(back);
            for (int place = who.nextSetBit(0); place >= 0; place = who.nextSetBit(place + 1)) {
                long traits = events.traits(events.rider(minute, place));
                int zone = events.zone(traits);
                consumer.at(back, zone, cities.zones().get(zone).cells()[events.cell(traits)]);
            }
        }
    }

    /** Returns the sums of all rows of some cities, with neighbours from H3's own library. */
    Map<Key, long[]> sums(Set<Integer> ofCities) {
        int[] windows = view.windows().panes();
        int[] rings = view.rings().stream().mapToInt(Integer::intValue).toArray();
        Map<Key, long[]> sums = new HashMap<>();
        Map<Integer, Map<Long, int[]>> perZone = new HashMap<>();
        forEachCounted((back, zone, cell) -> {
            if (ofCities.contains(cities.zones().get(zone).city())) {
                int[] perWindow = perZone.computeIfAbsent(zone, z -> new HashMap<>())
                        .computeIfAbsent(cell, c -> new int[windows.length]);
                for (int w = 0; w < windows.length; w++) {
                    perWindow[w] += back < windows[w] ? 1 : 0;
                }
            }
        });
        perZone.forEach((zone, cells) -> {
            String product = Cities.product(cities.zones().get(zone).product());
            Map<Long, long[]> rows = new HashMap<>();
            cells.forEach((cell, perWindow) -> {
                List<List<Long>> byDistance = Hexagons.H3.gridDiskDistances(cell, largestRing);
                for (int distance = 0; distance < byDistance.size(); distance++) {
                    for (long near : byDistance.get(distance)) {
                        add(
                                perWindow,
                                distance,
                                rings,
                                rows.computeIfAbsent(near, unused -> new long[rings.length * windows.length]));
                    }
                }
            });
            rows.forEach((cell, row) -> sums.put(new Key(cell, product), row));
        });
        return sums;
    }

    private static void add(int[] perWindow, int distance, int[] rings, long[] row) {
        for (int ring = 0; ring < rings.length; ring++) {
            if (distance <= rings[ring]) {
                for (int w = 0; w < perWindow.length; w++) {
                    row[ring * perWindow.length + w] += perWindow[w];
                }
            }
        }
    }

    /** Returns the tiles that contain the rows of some cities. */
    static Set<Long> tiles(Cities cities, Set<Integer> ofCities) {
        HexTiling tiling = HexTiling.of(Cities.RESOLUTION);
        Set<Long> tiles = new HashSet<>();
        for (Cities.Zone zone : cities.zones()) {
            if (ofCities.contains(zone.city())) {
                int radius = Cities.radiusOf(zone.reach());
                for (long cell : HexTiling.disk(zone.cells()[0], radius)) {
                    tiles.add(tiling.tile(cell));
                }
            }
        }
        return tiles;
    }

    /** Returns the first difference between the rows of blocks and those of {@link #sums}; empty if they are equal. */
    static String difference(FeatureView view, List<byte[]> blocks, Map<Key, long[]> expected) {
        HexRowCodec packed = new HexRowCodec(view);
        int features = view.featureNames().size();
        Set<Key> missing = new HashSet<>(expected.keySet());
        for (byte[] bytes : blocks) {
            HexRowBlock block = packed.decodeBlock(bytes);
            String product = String.valueOf(block.group().get(0));
            for (int row = 0; row < block.rows(); row++) {
                Key key = new Key(block.cells()[row], product);
                long[] sums = Arrays.copyOfRange(block.sums(), row * features, (row + 1) * features);
                long[] wanted = expected.get(key);
                if (wanted == null || !missing.remove(key)) {
                    return "unexpected or repeated row " + key;
                }
                if (!Arrays.equals(sums, wanted)) {
                    return "row %s has sums %s, the recount %s"
                            .formatted(key, Arrays.toString(sums), Arrays.toString(wanted));
                }
            }
        }
        return missing.isEmpty()
                ? ""
                : missing.size() + " rows are missing, such as "
                        + missing.iterator().next();
    }
}
