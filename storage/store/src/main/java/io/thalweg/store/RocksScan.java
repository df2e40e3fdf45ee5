package io.thalweg.store;

import io.thalweg.model.row.PackedBundles;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * One scan: fetches the bundles of some cells together, and walks each once.
 *
 * <p><b>Threads.</b> One. Only {@link #fetch} needs the folder open, so a slow consumer of rows does not block it.
 */
final class RocksScan {
    /** The bundles of two tiles; some MB. */
    private static final int BUNDLES_AT_ONCE = 98;

    private final FeatureView view;
    private final long[] cells;
    private final byte[] group;
    private final @Nullable WindowEnds ends;
    private final long oldestMs;
    private final RowKeys keys;
    private final PackedBundles codec;

    /** The indexes in {@code cells} where the bundles fetched last begin, and the index after the last of them. */
    private final List<Integer> begins = new ArrayList<>();

    private int next;

    private RocksScan(FeatureView view, long[] cells, List<Object> group, @Nullable WindowEnds ends, long oldestMs) {
        RocksLayout.Bundled layout = RocksLayout.cells(view);
        this.view = view;
        this.cells = cells;
        this.group = layout.groups().encode(group);
        this.ends = ends;
        this.oldestMs = oldestMs;
        this.keys = new RowKeys(view);
        this.codec = layout.codec();
    }

    /**
     * Creates a scan that has not begun.
     *
     * @param nowMs decides what has expired, epoch ms
     * @throws IllegalArgumentException as of {@link OnlineStore#scan}
     */
    static RocksScan of(FeatureView view, long[] cells, List<Object> group, OptionalLong asOfMs, long nowMs) {
        OnlineStore.requireCells(view);
        long oldestMs = Retention.of(view).oldestMs(nowMs);
        WindowEnds ends = asOfMs.isPresent() ? WindowEnds.asOf(view, asOfMs.getAsLong(), oldestMs) : null;
        return new RocksScan(view, cells, group, ends, oldestMs);
    }

    /** Whether cells are left. */
    boolean hasNext() {
        return next < cells.length;
    }

    /** Fetches the next bundles, null for each that does not exist. */
    List<byte @Nullable []> fetch(RocksValues values) throws RocksDBException {
        begins.clear();
        List<byte[]> asked = new ArrayList<>();
        while (hasNext() && asked.size() < BUNDLES_AT_ONCE) {
            begins.add(next);
            byte[] address = RocksLayout.Bundled.address(codec.parent(cells[next]), group);
            asked.add(ends == null ? keys.newest(address) : keys.history(ends.newestMs(), address));
            next = codec.end(cells, next);
        }
        begins.add(next);
        return ends == null ? values.newest(asked) : values.history(asked);
    }

    /** Passes on the rows of the fetched bundles. */
    void handOver(List<byte @Nullable []> bundles, ScannedRows rows) {
        for (int i = 0; i < bundles.size(); i++) {
            byte[] bundle = bundles.get(i);
            if (bundle != null) {
                walk(bundle, begins.get(i), begins.get(i + 1)).handOver(cells, begins.get(i), rows);
            }
        }
    }

    private ReadRows walk(byte[] bundle, int from, int to) {
        RowReader found = new RowReader(view, to - from, oldestMs);
        PackedBundles.Cursor cursor = codec.cursor(bundle);
        for (int i = from; i < to; i++) {
            long cell = cells[i];
            found.row(i - from, () -> cursor.seek(cell) ? cursor.row() : null);
        }
        return found.found(OptionalLong.empty());
    }
}
