package io.thalweg.server.region;

import io.thalweg.kernel.hex.AreaCells;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.CellText;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.Columns;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.ReadMetrics;
import io.thalweg.server.read.ReadRequest;
import io.thalweg.server.read.Readers;
import io.thalweg.server.telemetry.RequestSpan;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ScannedRows;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Answers scans: for each key of a region as {@link FeatureReader} does, but without the keys that have no row.
 *
 * <p><b>Errors.</b> {@link RefusedRequestException} for mistakes of the caller; {@link io.thalweg.store.StoreException} passes through.
 *
 * <p><b>Threads.</b> Safe. A scan blocks on the store.
 */
public final class RegionReader {
    /** The most keys of a scan: cells of the region times values of the other entities. */
    static final int MAX_KEYS = 1_000_000;

    static final int MAX_GROUPS = 10_000;
    /** The most rows times features: 24 MB. */
    static final int MAX_VALUES = 3_000_000;

    private final OnlineStore store;
    private final Clock clock;
    private final ReadMetrics metrics;

    public RegionReader(OnlineStore store, Clock clock, ReadMetrics metrics) {
        this.store = store;
        this.clock = clock;
        this.metrics = metrics;
    }

    /**
     * Reads a region.
     *
     * @param mostRows that the form of the answer has room for
     * @param form of the answer, for the error message if there are more rows
     */
    public ScanAnswer scan(ScanRequest request, int mostRows, String form) {
        long begin = System.nanoTime();
        try {
            return read(request, mostRows, form);
        } finally {
            metrics.recordScan(request.view(), System.nanoTime() - begin);
        }
    }

    private ScanAnswer read(ScanRequest request, int mostRows, String form) {
        FeatureView view = request.view();
        int[] asked = FeatureReader.features(view, request.features());
        ReadMoment moment = ReadMoment.of(request, store, clock);
        RegionCells places = places(request);
        int most = Math.min(mostRows, MAX_VALUES / asked.length);
        Judged judged = new Judged(request, asked, most, moment);
        RequestSpan.describe(view, places.keys(), ReadRequest.ReadFrom.STORE.name());
        ScanRows rows = RequestSpan.traced("store.scan", view, places.keys(), () -> scan(view, places, moment, judged));
        if (rows.offered() > most && request.top() == null) {
            throw RefusedRequestException.invalid(String.format(
                    Locale.ROOT,
                    "rows: the region has %,d, at most %,d of %d features are answered as %s; choose a smaller region,"
                            + " fewer features, top or aggregate%s",
                    rows.offered(),
                    most,
                    asked.length,
                    form,
                    mostRows == Integer.MAX_VALUE ? "" : ", or accept " + Columns.NAME));
        }
        List<String> names = view.featureNames();
        return new ScanAnswer(
                view,
                moment.watermarkMs(),
                Arrays.stream(asked).mapToObj(names::get).toList(),
                places.groups(),
                places.regionCells(),
                places.keys(),
                judged.counts(places.keys()),
                judged.rest,
                rows,
                moment.nowMs());
    }

    /** Scans the store and judges each row as the store returns it. */
    private ScanRows scan(FeatureView view, RegionCells places, ReadMoment moment, Judged judged) {
        for (int group = 0; group < places.groups().size(); group++) {
            long[] cells = places.cells().get(group);
            judged.begin(group, cells);
            store.scan(view, cells, places.groups().get(group), moment.asOfMs(), judged);
            judged.end();
        }
        return judged.rows.done();
    }

    /**
     * The keys that a scan reads.
     *
     * @param groups values of the entities besides the cell
     * @param cells of each group, ascending
     * @param regionCells the number of cells of the region
     */
    private record RegionCells(List<List<Object>> groups, List<long[]> cells, long regionCells, long keys) {
        static RegionCells of(Map<List<Object>, long[]> cells, long regionCells) {
            long keys = cells.values().stream().mapToLong(some -> some.length).sum();
            if (keys > MAX_KEYS) {
                throw RefusedRequestException.invalid(String.format(
                        Locale.ROOT,
                        "region: has %,d keys, cells times values of the other entities, at most %,d are read at once;"
                                + " choose a smaller region, or values with where",
                        keys,
                        MAX_KEYS));
            }
            return new RegionCells(List.copyOf(cells.keySet()), List.copyOf(cells.values()), regionCells, keys);
        }
    }

    private RegionCells places(ScanRequest request) {
        FeatureView view = request.view();
        Region region = request.region();
        if (region == null) {
            return everywhere(request);
        }
        long[] cells = region.cells(view.cell().resolution());
        Map<List<Object>, long[]> byGroup = new LinkedHashMap<>();
        groups(request, cells).forEach(group -> byGroup.put(group, cells));
        return RegionCells.of(byGroup, cells.length);
    }

    /** Returns all cells of the tiles that have rows. */
    private RegionCells everywhere(ScanRequest request) {
        FeatureView view = request.view();
        Map<List<Object>, Set<Long>> tiles = new LinkedHashMap<>();
        Set<Long> all = new TreeSet<>();
        for (Coverage place : store.coverage(view)) {
            if (matches(request, place.group())) {
                tiles.computeIfAbsent(place.group(), group -> new TreeSet<>()).add(place.tile());
                all.add(place.tile());
            }
        }
        requireGroups(tiles.keySet());
        int resolution = view.cell().resolution();
        long most = tiles.values().stream().mapToLong(Set::size).sum()
                * HexTiling.of(resolution).slots();
        if (most > MAX_KEYS) {
            throw RefusedRequestException.invalid(String.format(
                    Locale.ROOT,
                    "region: is needed, because all places that have rows are %,d keys, at most %,d are read at once;"
                            + " choose a region, or values with where",
                    most,
                    MAX_KEYS));
        }
        Map<List<Object>, long[]> cells = new LinkedHashMap<>();
        tiles.forEach((group, own) -> cells.put(group, cellsOf(own, resolution)));
        return RegionCells.of(cells, cellsOf(all, resolution).length);
    }

    private static long[] cellsOf(Collection<Long> tiles, int resolution) {
        return tiles.stream()
                .flatMapToLong(tile -> LongStream.of(
                        AreaCells.below(tile, resolution, Integer.MAX_VALUE).orElseThrow()))
                .toArray();
    }

    private Collection<List<Object>> groups(ScanRequest request, long[] cells) {
        List<Entity.Field> fields = request.view().group();
        List<List<Object>> groups = List.of(List.of());
        for (Entity.Field field : fields) {
            Set<Object> wanted = request.where().get(field.name());
            if (wanted == null) {
                return covered(request, cells);
            }
            requireGroups((long) groups.size() * wanted.size());
            groups = groups.stream()
                    .flatMap(group -> wanted.stream().map(value -> with(group, value)))
                    .toList();
        }
        return groups;
    }

    private static List<Object> with(List<Object> group, Object value) {
        List<Object> longer = new ArrayList<>(group);
        longer.add(value);
        return List.copyOf(longer);
    }

    /** Returns the groups that have rows in the tiles of these cells. */
    private Collection<List<Object>> covered(ScanRequest request, long[] cells) {
        FeatureView view = request.view();
        HexTiling tiling = HexTiling.of(view.cell().resolution());
        long[] tiles = LongStream.of(cells).map(tiling::tile).distinct().toArray();
        Set<List<Object>> groups = new LinkedHashSet<>();
        for (Coverage place : store.coverage(view, tiles)) {
            if (matches(request, place.group())) {
                groups.add(place.group());
            }
        }
        requireGroups(groups.size());
        return groups;
    }

    private static boolean matches(ScanRequest request, List<Object> group) {
        List<Entity.Field> fields = request.view().group();
        return IntStream.range(0, fields.size()).allMatch(i -> {
            Set<Object> wanted = request.where().get(fields.get(i).name());
            return wanted == null || wanted.contains(group.get(i));
        });
    }

    private static void requireGroups(long groups) {
        if (groups > MAX_GROUPS) {
            throw RefusedRequestException.invalid(String.format(
                    Locale.ROOT,
                    "where: at most %,d values of the entities besides the cell are read at once, were %,d; name some",
                    MAX_GROUPS,
                    groups));
        }
    }

    private static void requireGroups(Collection<?> groups) {
        requireGroups(groups.size());
    }

    /** Judges the rows of one scan and keeps those to be answered. */
    private final class Judged implements ScannedRows {
        private final FeatureView view;
        private final int[] asked;
        private final int rank;
        private final ReadMoment moment;
        private final ReadOutcome rest;
        private final ScanRows rows;
        private final @Nullable Aggregation aggregation;
        private final double[] picked;
        private int group;
        private long present;
        private long unreadable;

        Judged(ScanRequest request, int[] asked, int most, ReadMoment moment) {
            ScanRequest.Top top = request.top();
            ScanRequest.Aggregate aggregate = request.aggregate();
            this.view = request.view();
            this.asked = asked;
            this.rank = top == null ? -1 : view.featureNames().indexOf(top.by());
            this.moment = moment;
            this.rest = moment.outcome(null);
            this.rows = new ScanRows(asked.length, most, top == null ? 0 : top.n(), aggregate != null);
            this.picked = new double[asked.length + 1];
            this.aggregation = aggregate == null ? null : new Aggregation(aggregate, picked.length, rows);
        }

        /** Begins a group, whose rows follow. */
        void begin(int next, long[] cells) {
            group = next;
            if (aggregation != null) {
                aggregation.begin(next, cells);
            }
        }

        void end() {
            if (aggregation != null) {
                aggregation.end();
            }
        }

        @Override
        public void row(long cell, StoredRow row) {
            Readers.requireWanted();
            ReadOutcome outcome = moment.outcome(row);
            if (outcome.status() != ReadStatus.PRESENT) {
                return; // counts as no row
            }
            present++;
            pick((StoredRow.OfSums) row);
            if (aggregation == null) {
                rows.add(group, cell, ReadStatus.PRESENT, row.finality(), outcome.windowEndMs(), picked);
            } else {
                aggregation.add(cell, picked);
            }
        }

        private void pick(StoredRow.OfSums row) {
            for (int i = 0; i < asked.length; i++) {
                picked[i] = row.value(asked[i]);
            }
            picked[asked.length] = rank < 0 ? 0 : row.value(rank);
        }

        @Override
        public void unreadable(long cell, String reason) {
            Readers.requireWanted();
            unreadable++;
            metrics.unreadable(view, CellText.format(cell), reason);
            if (aggregation != null) {
                aggregation.unknown(cell);
            } else if (rank < 0) {
                Arrays.fill(picked, Double.NaN);
                rows.add(group, cell, ReadStatus.UNREADABLE, null, ReadOutcome.NONE, picked);
            }
        }

        /** Returns the number of keys by status; a key without a present or unreadable row has the status of the rest. */
        Map<ReadStatus, Long> counts(long keys) {
            Map<ReadStatus, Long> byStatus = new EnumMap<>(ReadStatus.class);
            byStatus.put(ReadStatus.PRESENT, present);
            byStatus.put(ReadStatus.UNREADABLE, unreadable);
            byStatus.put(rest.status(), keys - present - unreadable);
            byStatus.values().removeIf(count -> count == 0);
            return byStatus;
        }
    }
}
