package io.thalweg.store;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RowBlock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which places a store whose keys cannot be listed is to note beside the rows that it writes, for {@link OnlineStore#coverage}. A note has
 * the last multiple of {@value #STEP_MS} ms before the window end: so notes are few, one that was lost comes back, and the same rows leave
 * the same notes, whoever wrote them how often.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class PlaceNotes {
    private static final long STEP_MS = 600_000;
    /** Beyond, notes are forgotten here, and written again. */
    private static final int MOST = 1_000_000;

    private final Map<Place, Long> noted = new ConcurrentHashMap<>();

    private record Place(String view, long tile, List<Object> group) {}

    /**
     * What is to be noted once these blocks are written, with the time of the note; then {@link #done} is to be called. Nothing of views
     * without cells.
     *
     * @param oldestMs rows of an earlier window end have expired, epoch ms
     */
    public List<Coverage> due(FeatureView view, List<? extends RowBlock> blocks, long oldestMs) {
        Map<Place, Long> due = new LinkedHashMap<>();
        for (RowBlock block : blocks) {
            if (block instanceof HexRowBlock rows && rows.rows() > 0 && rows.windowEndMs() >= oldestMs) {
                long tile = HexTiling.of(view.cell().resolution()).tile(rows.cells()[0]);
                Place place = new Place(view.qualifiedName(), tile, rows.group());
                long noteMs = Math.floorDiv(rows.windowEndMs(), STEP_MS) * STEP_MS;
                Long before = noted.get(place);
                if (before == null || noteMs > before) {
                    due.merge(place, noteMs, Math::max);
                }
            }
        }
        return due.entrySet().stream()
                .map(each -> new Coverage(each.getKey().tile(), each.getKey().group(), each.getValue()))
                .toList();
    }

    /** They are noted. */
    public void done(FeatureView view, List<Coverage> places) {
        if (noted.size() > MOST) {
            noted.clear();
        }
        places.forEach(
                place -> noted.put(new Place(view.qualifiedName(), place.tile(), place.group()), place.lastEndMs()));
    }

    /** Places with an earlier note have no rows: all have expired, also those that were written after the note. */
    public static long oldestMs(FeatureView view, long nowMs) {
        return Retention.of(view).oldestMs(nowMs) - STEP_MS;
    }
}
