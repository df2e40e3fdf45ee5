package io.thalweg.cli;

import io.thalweg.model.FeatureView;

/** How many rows a view has, and how long they are. */
interface RowSizes {
    FeatureView view();

    /** Rows that leave, on average. */
    double rowsPerSecond();

    /** Length of a row as JSON, with {@code created}. */
    double jsonRowBytes();

    /** Length of a row's share in a packed block. */
    double packedRowBytes();

    /** Length of a row in the store, with its share of the key. */
    double storedRowBytes();

    /** Rows that the store holds: the newest of each key, and with history one per window end. */
    double storedRows();

    /** That number, for so many keys with a row at a window end. */
    static double storedRows(FeatureView view, double keys) {
        var history = view.online().history();
        if (history == null) {
            return keys;
        }
        double keptMs = view.online().ttl().millis() + history.millis();
        return keys * (1 + Math.ceil(keptMs / view.windows().every().millis()));
    }
}
