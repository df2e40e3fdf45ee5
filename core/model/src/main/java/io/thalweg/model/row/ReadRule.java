package io.thalweg.model.row;

import io.thalweg.model.view.FeatureView;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Judges what a store contains for a key of one view: the status and window end of the result. For a view with rings,
 * absence means zero as long as the pipeline does not lag; for a keyed view, it means that nothing is known.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public interface ReadRule {
    /** Returns the rule for a view. */
    static ReadRule of(FeatureView view) {
        return view.isKeyed() ? new OfKeys(view) : new OfCells(view);
    }

    /**
     * Judges the newest row.
     *
     * @param nowMs the time of the read, epoch ms
     * @param watermarkMs as readers see it, epoch ms, or {@link ReadOutcome#NONE}; read before the row
     */
    ReadOutcome latest(long nowMs, long watermarkMs, @Nullable StoredRow row);

    /**
     * Judges the row that was valid at a time.
     *
     * @param nowMs the time of the read, epoch ms
     * @param watermarkMs as readers see it, epoch ms, or {@link ReadOutcome#NONE}; read before the row
     * @param asOfMs not beyond the watermark
     */
    ReadOutcome asOf(long nowMs, long watermarkMs, long asOfMs, @Nullable StoredRow row);

    private static long endMs(@Nullable StoredRow row) {
        return row == null ? ReadOutcome.NONE : row.windowEndMs();
    }

    /** The rule for views with rings. */
    record OfCells(Duration ttl, long everyMs, long keptMs) implements ReadRule {
        private OfCells(FeatureView view) {
            this(
                    view.online().ttl().duration(),
                    view.clock().everyMs(),
                    view.online().keptMs());
        }

        @Override
        public ReadOutcome latest(long nowMs, long watermarkMs, @Nullable StoredRow row) {
            return ReadOutcome.latest(nowMs, watermarkMs, ttl, endMs(row), anyNonZero(row));
        }

        @Override
        public ReadOutcome asOf(long nowMs, long watermarkMs, long asOfMs, @Nullable StoredRow row) {
            ReadOutcome outcome = ReadOutcome.asOf(asOfMs, everyMs, endMs(row), anyNonZero(row));
            boolean outside = watermarkMs == ReadOutcome.NONE || nowMs - outcome.windowEndMs() > keptMs;
            return outside ? new ReadOutcome(ReadStatus.OUTSIDE_MAX_AGE, outcome.windowEndMs()) : outcome;
        }

        private static boolean anyNonZero(@Nullable StoredRow row) {
            if (row instanceof StoredRow.OfSums cell) {
                for (long sum : cell.sums()) {
                    if (sum != 0) {
                        return true;
                    }
                }
            }
            return false;
        }
    }

    /** The rule for keyed views and tables. */
    record OfKeys(Duration ttl, long keptMs) implements ReadRule {
        private OfKeys(FeatureView view) {
            this(view.online().ttl().duration(), view.online().keptMs());
        }

        @Override
        public ReadOutcome latest(long nowMs, long watermarkMs, @Nullable StoredRow row) {
            return ReadOutcome.keyed(nowMs, watermarkMs, ttl, endMs(row));
        }

        /** Does not check the age of the row, because rows older than {@code ttl} are not looked up. */
        @Override
        public ReadOutcome asOf(long nowMs, long watermarkMs, long asOfMs, @Nullable StoredRow row) {
            boolean outside = watermarkMs == ReadOutcome.NONE || nowMs - asOfMs > keptMs;
            ReadStatus found = row == null ? ReadStatus.NOT_FOUND : ReadStatus.PRESENT;
            return new ReadOutcome(outside ? ReadStatus.OUTSIDE_MAX_AGE : found, endMs(row));
        }
    }
}
