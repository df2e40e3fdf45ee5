package io.thalweg.store;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Decides which places a store whose keys cannot be listed notes beside the rows that it writes, for {@link
 * OnlineStore#coverage}. A note carries the window end of the newest rows, rounded down to {@value #STEP_MS} ms. So
 * notes are few, a lost note is written again later, and rewriting the same rows changes none.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class RegionNotes {
    private static final long STEP_MS = 600_000;
    /** Beyond this many, the memory of written notes is cleared, and they are written again. */
    private static final int MOST = 1_000_000;

    private final Map<Region, Long> noted = new ConcurrentHashMap<>();

    private record Region(String view, long tile, List<Object> group) {}

    /**
     * Notes the places of written blocks unless they are noted already. Blocks of views without cells are skipped.
     *
     * @param nowMs decides what has expired, epoch ms
     * @param write writes places, each with the time of its note; if it fails, a later write notes them
     */
    public void note(FeatureView view, List<? extends RowBlock> blocks, long nowMs, Consumer<List<Coverage>> write) {
        Map<Region, Long> due = due(view, blocks, Retention.of(view).oldestMs(nowMs));
        if (due.isEmpty()) {
            return;
        }
        write.accept(due.entrySet().stream()
                .map(each -> new Coverage(each.getKey().tile(), each.getKey().group(), each.getValue()))
                .toList());
        if (noted.size() > MOST) {
            noted.clear();
        }
        noted.putAll(due);
    }

    private Map<Region, Long> due(FeatureView view, List<? extends RowBlock> blocks, long oldestMs) {
        Map<Region, Long> due = new LinkedHashMap<>();
        for (RowBlock block : blocks) {
            if (block instanceof HexRowBlock rows && rows.rows() > 0 && rows.windowEndMs() >= oldestMs) {
                long tile = HexTiling.of(view.cell().resolution()).tile(rows.cells()[0]);
                Region place = new Region(view.qualifiedName(), tile, rows.group());
                long noteMs = Math.floorDiv(rows.windowEndMs(), STEP_MS) * STEP_MS;
                Long before = noted.get(place);
                if (before == null || noteMs > before) {
                    due.merge(place, noteMs, Math::max);
                }
            }
        }
        return due;
    }

    /** Places with an earlier note contain no live rows: even the rows written after the note have expired. */
    public static long oldestMs(FeatureView view, long nowMs) {
        return Retention.of(view).oldestMs(nowMs) - STEP_MS;
    }
}
