package io.thalweg.store;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.PackedBundles;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.rocksdb.RocksIterator;

/**
 * Finds the tiles and groups that contain newest rows. Every row of history has a newest row that expires no earlier,
 * so its place is found, too.
 *
 * <p><b>Cost.</b> One step per bundle, of which at most the first bytes are copied.
 *
 * <p><b>Threads.</b> One.
 */
final class RocksCoverage {
    /** Magic, version, window end. */
    private static final int HEADER_BYTES = 10;
    /** From this resolution on, all rows of a bundle are in one tile. */
    private static final int ONE_TILE_FROM = 3;

    private final HexTiling tiling;
    private final PackedBundles codec;
    private final GroupCodec groups;
    private final RowKeys keys;
    private final long oldestMs;
    private final int addressAt;
    private final Map<Region, Long> found = new LinkedHashMap<>();

    private record Region(long tile, ByteBuffer group) {}

    /**
     * Creates a search that has not found anything yet.
     *
     * @param oldestMs rows of an earlier window end have expired, epoch ms
     * @throws IllegalArgumentException if the view has no cells
     */
    RocksCoverage(FeatureView view, long oldestMs) {
        OnlineStore.requireCells(view);
        RocksLayout.Bundled layout = RocksLayout.cells(view);
        this.tiling = HexTiling.of(view.cell().resolution());
        this.codec = layout.codec();
        this.groups = layout.groups();
        this.keys = new RowKeys(view);
        this.oldestMs = oldestMs;
        this.addressAt = keys.newest(new byte[0]).length;
    }

    /** Returns the coverage of the whole view. */
    List<Coverage> all(RocksIterator rows) {
        byte[] none = keys.newest(new byte[0]);
        look(rows, none, none);
        return coverage();
    }

    /** Returns the coverage of one tile. */
    List<Coverage> of(long tile, RocksIterator rows) {
        if (tiling.resolution() < ONE_TILE_FROM) {
            return all(rows).stream().filter(place -> place.tile() == tile).toList();
        }
        byte[] none = new byte[0];
        long first = codec.parent(tiling.cell(tile, 0));
        long last = codec.parent(tiling.cell(tile, tiling.slots() - 1));
        look(
                rows,
                keys.newest(RocksLayout.Bundled.address(first, none)),
                keys.newest(RocksLayout.Bundled.address(last, none)));
        return coverage();
    }

    /** Scans from the first key at or after {@code from} through the keys that begin with {@code last}. */
    private void look(RocksIterator rows, byte[] from, byte[] last) {
        byte[] header = new byte[HEADER_BYTES];
        for (rows.seek(from); rows.isValid(); rows.next()) {
            byte[] key = rows.key();
            int common = Math.min(key.length, last.length);
            if (Arrays.compareUnsigned(key, 0, common, last, 0, last.length) > 0) {
                return;
            }
            if (rows.value(header) >= HEADER_BYTES) {
                bundle(key, header, rows);
            }
        }
    }

    private void bundle(byte[] key, byte[] header, RocksIterator rows) {
        try {
            long endMs = PackedBundles.newestMs(header);
            long parent = ByteBuffer.wrap(key, addressAt, Long.BYTES).getLong();
            ByteBuffer group = ByteBuffer.wrap(key, addressAt + Long.BYTES, key.length - addressAt - Long.BYTES);
            if (endMs >= oldestMs && tiling.resolution() >= ONE_TILE_FROM) {
                found.merge(new Region(tiling.tile(parent), group), endMs, Math::max);
            } else if (endMs >= oldestMs) {
                eachRow(rows.value(), parent, group);
            }
        } catch (IllegalArgumentException e) {
            // Reads report undecodable values; other bundles reveal the rest of the tile.
        }
    }

    private void eachRow(byte[] bundle, long parent, ByteBuffer group) {
        PackedBundles.Cursor cursor = codec.cursor(bundle);
        for (long cell : codec.cells(bundle, parent)) {
            if (cursor.seek(cell) && cursor.windowEndMs() >= oldestMs) {
                found.merge(new Region(tiling.tile(cell), group), cursor.windowEndMs(), Math::max);
            }
        }
    }

    private List<Coverage> coverage() {
        return found.entrySet().stream()
                .map(entry -> {
                    ByteBuffer group = entry.getKey().group();
                    byte[] bytes = new byte[group.remaining()];
                    group.duplicate().get(bytes);
                    return new Coverage(entry.getKey().tile(), groups.decode(bytes), entry.getValue());
                })
                .toList();
    }
}
