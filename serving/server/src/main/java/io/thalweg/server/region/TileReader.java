package io.thalweg.server.region;

import io.thalweg.kernel.hex.GeoBox;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TilePositions;
import io.thalweg.kernel.hex.TilePositions.Point;
import io.thalweg.model.row.CellText;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.server.read.ReadMetrics;
import io.thalweg.server.read.ReadRequest;
import io.thalweg.server.read.Readers;
import io.thalweg.server.telemetry.RequestSpan;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.Retention;
import io.thalweg.store.ScannedRows;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads whole tiles of a region for the map of the console. Rows are judged as in {@link FeatureReader}.
 *
 * <p><b>Errors.</b> {@link RefusedRequestException} for a region with too many tiles; {@link io.thalweg.store.StoreException} passes through.
 *
 * <p><b>Threads.</b> Safe. A read blocks on the store.
 */
public final class TileReader {
    /** The most tiles times features: some 4 MB. */
    static final int TILES_MAX = 64;

    /** The cells of a base cell are within 17 degrees of its centre; the distance shrinks by the root of 7 with each resolution. */
    private static final double REACH_DEG = 17;

    private final OnlineStore store;
    private final Clock clock;
    private final ReadMetrics metrics;
    private final Map<Integer, TileFits> fits = new ConcurrentHashMap<>();

    public TileReader(OnlineStore store, Clock clock, ReadMetrics metrics) {
        this.store = store;
        this.clock = clock;
        this.metrics = metrics;
    }

    /** Returns where the cells of a resolution are in their tiles. */
    public TilePositions places(int resolution) {
        return fits(resolution).places();
    }

    private TileFits fits(int resolution) {
        return fits.computeIfAbsent(resolution, each -> new TileFits(HexTiling.of(each)));
    }

    /**
     * The tiles of a region that have rows.
     *
     * @param bytes encoded
     * @param finalForMs for how long a repeated read returns the same values, because all of them are FINAL and none expires;
     *     empty if they may change
     */
    public record Tiles(byte[] bytes, OptionalLong finalForMs) {}

    /** Reads the tiles of a region that have rows. */
    public Tiles read(ScanRequest request) {
        long begin = System.nanoTime();
        try {
            return encoded(request);
        } finally {
            metrics.recordScan(request.view(), System.nanoTime() - begin);
        }
    }

    private Tiles encoded(ScanRequest request) {
        FeatureView view = request.view();
        GeoBox box = box(request);
        List<Object> group = group(request);
        int[] features = FeatureReader.features(view, request.features());
        ReadMoment moment = ReadMoment.of(request, store, clock);
        TileFits tileFits = fits(view.cell().resolution());
        HexTiling tiling = tileFits.places().tiling();
        TilesAnswer answer = new TilesAnswer(tileFits.places(), features.length);
        boolean allFinal = true;
        long[] tiles = tiles(view, box, group, tiling, TILES_MAX / features.length);
        RequestSpan.describe(view, (long) tiles.length * tiling.slots(), ReadRequest.ReadFrom.STORE.name());
        for (long tile : tiles) {
            Readers.requireWanted();
            Values values = new Values(view, tiling, features, moment);
            long[] cells = LongStream.range(0, tiling.slots())
                    .map(slot -> tiling.cell(tile, (int) slot))
                    .toArray();
            store.scan(view, cells, group, moment.asOfMs(), values);
            allFinal &= values.allFinal;
            if (values.found) {
                answer.add(tile, tileFits.of(tile).orElse(null), values.bySlot);
            }
        }
        return new Tiles(
                bytes(answer, view, features, moment), allFinal ? unchangedForMs(view, moment) : OptionalLong.empty());
    }

    /**
     * Returns how long the values stay the same. Rows of a fixed window end stay until they expire; the newest rows are replaced
     * at the next window end.
     */
    private static OptionalLong unchangedForMs(FeatureView view, ReadMoment moment) {
        ReadOutcome absent = moment.outcome(null);
        boolean stays = moment.asOfMs().isPresent() && absent.status() == ReadStatus.ZERO;
        return stays
                ? OptionalLong.of(absent.windowEndMs() - Retention.of(view).oldestMs(moment.nowMs()))
                : OptionalLong.empty();
    }

    /** Returns the box of a request; the whole world if it has no region. */
    private static GeoBox box(ScanRequest request) {
        if (request.top() != null || request.aggregate() != null) {
            throw RefusedRequestException.invalid((request.top() == null ? "aggregate" : "top") + ": does not go with "
                    + TilesAnswer.MEDIA_TYPE + ", whose tiles are whole; leave it out");
        }
        Region region = request.region();
        if (region == null) {
            return new GeoBox(-180, -90, 180, 90);
        }
        if (region instanceof Region.Area area && area.area() instanceof GeoBox box) {
            return box;
        }
        throw RefusedRequestException.invalid("region: must be a bbox for " + TilesAnswer.MEDIA_TYPE);
    }

    private static List<Object> group(ScanRequest request) {
        RequestProblems problems = new RequestProblems();
        List<Object> group = new ArrayList<>();
        for (Entity.Field field : request.view().group()) {
            Set<Object> wanted = request.where().getOrDefault(field.name(), Set.of());
            if (wanted.size() != 1) {
                problems.add(
                        "where." + field.name(), "must have one value, because a tile has one value for each cell");
            }
            group.addAll(wanted);
        }
        problems.throwIfAny();
        return group;
    }

    private static byte[] bytes(TilesAnswer answer, FeatureView view, int[] features, ReadMoment moment) {
        ReadOutcome absent = moment.outcome(null);
        return answer.bytes(out -> {
            out.writeStringField("view", view.qualifiedName());
            if (moment.asOfMs().isEmpty()) {
                out.writeStringField("watermark", time(moment.watermarkMs().orElse(ReadOutcome.NONE)));
            }
            out.writeStringField("window_end", time(absent.windowEndMs()));
            out.writeStringField("status", absent.status().name());
            out.writeArrayFieldStart("features");
            for (int feature : features) {
                out.writeString(view.featureNames().get(feature));
            }
            out.writeEndArray();
        });
    }

    private static @Nullable String time(long epochMs) {
        return epochMs == ReadOutcome.NONE
                ? null
                : Instant.ofEpochMilli(epochMs).toString();
    }

    /** The values of one tile. A row that cannot be read counts as absent here; a read of its cell answers UNREADABLE. */
    private final class Values implements ScannedRows {
        final float[][] bySlot;
        boolean found;
        boolean allFinal = true;
        private final FeatureView view;
        private final HexTiling tiling;
        private final int[] features;
        private final ReadMoment moment;

        Values(FeatureView view, HexTiling tiling, int[] features, ReadMoment moment) {
            this.view = view;
            this.tiling = tiling;
            this.features = features;
            this.moment = moment;
            bySlot = new float[features.length][tiling.slots()];
            for (float[] feature : bySlot) {
                Arrays.fill(feature, Float.NaN);
            }
        }

        @Override
        public void row(long cell, StoredRow row) {
            allFinal &= row.finality() == Finality.FINAL;
            if (moment.outcome(row).status() == ReadStatus.PRESENT) {
                int slot = tiling.slot(cell);
                List<@Nullable Object> values = row.values();
                for (int feature = 0; feature < features.length; feature++) {
                    if (values.get(features[feature]) instanceof Number number) {
                        bySlot[feature][slot] = number.floatValue();
                        found = true;
                    }
                }
            }
        }

        @Override
        public void unreadable(long cell, String reason) {
            allFinal = false; // until it is written again
            metrics.unreadable(view, CellText.format(cell), reason);
        }
    }

    private long[] tiles(FeatureView view, GeoBox box, List<Object> group, HexTiling tiling, int most) {
        GeoBox near = grown(box, REACH_DEG / Math.pow(Math.sqrt(7), tiling.tileResolution()));
        if (most == 0) {
            throw RefusedRequestException.invalid(
                    "features: at most " + TILES_MAX + " go with " + TilesAnswer.MEDIA_TYPE + "; name some");
        }
        long[] tiles = store.coverage(view).stream()
                .filter(place -> place.group().equals(group))
                .mapToLong(Coverage::tile)
                .filter(tile -> contains(near, TilePositions.centre(tile)))
                .toArray();
        if (tiles.length > most) {
            throw tooMany(String.valueOf(tiles.length), most);
        }
        return tiles;
    }

    private static RefusedRequestException tooMany(String found, int most) {
        return RefusedRequestException.invalid(
                "region: has %s tiles with rows, at most %d are answered with so many features; ask for a smaller region"
                        .formatted(found, most));
    }

    private static boolean contains(GeoBox box, Point point) {
        return box.contains(point.latDeg(), point.lngDeg());
    }

    /** Returns a box that contains all points within a distance of a box; near a pole it has all longitudes. */
    private static GeoBox grown(GeoBox box, double degrees) {
        double south = Math.max(-90, box.south() - degrees);
        double north = Math.min(90, box.north() + degrees);
        double farthest = Math.max(Math.abs(south), Math.abs(north));
        double aside = farthest > 89 ? 180 : degrees / Math.cos(Math.toRadians(farthest));
        double width = (box.east() < box.west() ? box.east() + 360 : box.east()) - box.west();
        if (width + 2 * aside >= 360) {
            return new GeoBox(-180, south, 180, north);
        }
        return new GeoBox(wrapped(box.west() - aside), south, wrapped(box.east() + aside), north);
    }

    private static double wrapped(double lng) {
        return lng < -180 ? lng + 360 : lng > 180 ? lng - 360 : lng;
    }
}
