package io.thalweg.runner;

import io.thalweg.model.view.FeatureView;
import java.util.Locale;

/** Counts the rows that one event of a view with rings makes, which determine the size of a run's output. */
public final class RingRows {
    private RingRows() {}

    /**
     * Returns the most rows that one event makes: one for each cell of the largest disk at each end of the largest window, and
     * the closing rows.
     */
    static long perEvent(FeatureView view) {
        long ring = view.rings().stream().mapToInt(Integer::intValue).max().orElse(0);
        return (1 + 3 * ring * (ring + 1)) * (view.windows().largestPanes() + 1L);
    }

    /** Describes the same number for people, with the size as JSON. */
    public static String perEventText(FeatureView view) {
        long rows = perEvent(view);
        double rowBytes = new Footprint(view, 1, 1, 1).jsonRowBytes();
        return String.format(
                Locale.ROOT,
                "%s: a single event makes up to %,d rows, %s as JSON; events of the same cells, groups and minutes share them",
                view.qualifiedName(),
                rows,
                Units.bytes(rows * rowBytes));
    }
}
