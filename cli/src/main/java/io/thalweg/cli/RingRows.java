package io.thalweg.cli;

import io.thalweg.model.FeatureView;
import java.util.Locale;

/** How many rows one event of a view with rings makes, which decides how large the output of a run gets. */
public final class RingRows {
    private RingRows() {}

    /** The most rows that one event makes: each cell of the largest disk at each end of the largest window, and its closing row. */
    static long perEvent(FeatureView view) {
        long ring = view.rings().stream().mapToInt(Integer::intValue).max().orElse(0);
        return (1 + 3 * ring * (ring + 1)) * (view.windows().largestPanes() + 1L);
    }

    /** The same for people, with its length as JSON. */
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
