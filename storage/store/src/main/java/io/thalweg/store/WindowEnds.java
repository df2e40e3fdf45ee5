package io.thalweg.store;

import io.thalweg.model.view.FeatureView;

/**
 * The candidate window ends of a read as of a time; the newest that has a row answers it. A cell without events has no row at a
 * window end, so for a view with rings only the last end before that time counts. The row of a key stays valid until the next
 * one, at most for {@code online.ttl}.
 *
 * @param newestMs epoch ms
 * @param oldestMs epoch ms; there are no window ends if it is above {@code newestMs}
 * @param everyMs the slide
 */
public record WindowEnds(long newestMs, long oldestMs, long everyMs) {
    /**
     * Returns the window ends for a read of a view.
     *
     * @param asOfMs epoch ms
     * @param keptMs rows of an earlier window end have expired, epoch ms
     * @throws IllegalArgumentException if the view keeps no history
     */
    public static WindowEnds asOf(FeatureView view, long asOfMs, long keptMs) {
        Retention.requireHistory(view);
        long lastMs = view.clock().lastEndMs(asOfMs);
        long firstMs = view.isKeyed() ? Math.max(asOfMs - view.online().ttl().millis(), keptMs) : lastMs;
        return new WindowEnds(lastMs, firstMs, view.clock().everyMs());
    }

    /** Whether there is exactly one window end. */
    public boolean isOne() {
        return newestMs == oldestMs;
    }
}
