package io.thalweg.runner;

import io.thalweg.model.view.FeastView;
import io.thalweg.model.view.FeastView.KeyType;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.model.view.Online;
import java.time.Duration;

/** The resources that a view takes: its state, and the number and size of its rows. */
public interface ViewFootprint {
    /**
     * Estimates what a view takes, from its definition and two rates.
     *
     * @param eventsPerSecond that the view keeps, above 0
     * @param rowsPerSecond on average, above 0
     */
    static ViewFootprint of(FeatureView view, double eventsPerSecond, double rowsPerSecond) {
        long rows =
                Math.max(1, Math.round(rowsPerSecond * view.windows().every().millis() / 1000.0));
        return view.isKeyed()
                ? KeyedFootprint.of(view, rows, eventsPerSecond)
                : new Footprint(view, rows, 1, eventsPerSecond);
    }

    FeatureView view();

    /** Bytes of the job's state, which is about the size of a checkpoint. */
    double stateBytes();

    /** Rows emitted per second, on average. */
    double rowsPerSecond();

    /** Length of a row as JSON, with {@code created}. */
    double jsonRowBytes();

    /** Length of a row's share in a packed block. */
    double packedRowBytes();

    /** Length of a packed row in the store, with its share of the key. */
    double storedRowBytes();

    /** Length of a row in one of Feast's layouts, with its key, which it shares with no other row. A text key counts as a UUID. */
    static double feastRowBytes(FeatureView view) {
        FeastView feast = FeastView.of(view);
        int key = feast.joinKeys().stream()
                .mapToInt(each -> 16 + each.name().length() + (each.type() == KeyType.STRING ? 36 : Long.BYTES))
                .sum();
        int timeAndOrder =
                "_ts:".length() + 6 + "_order:".length() + 21 + 2 * feast.name().length();
        int features = view.featureNames().size();
        boolean array = view.online().layout() == Online.Layout.FEAST_ARRAY;
        return key + timeAndOrder + (array ? 10 + Float.BYTES * features : (4 + 1 + Double.BYTES) * features);
    }

    /** Length of a row in the store in the layout of the view. */
    default double storeRowBytes() {
        return view().online().layout().isFeast() ? feastRowBytes(view()) : storedRowBytes();
    }

    /** Bytes that the view's feature log grows by in a day, before the compression of its files; 0 if it has none. */
    default double logBytesPerDay() {
        OfflineSpec offline = view().offline();
        if (offline == null) {
            return 0;
        }
        double rowBytes = offline.format() == OfflineSpec.Format.PACKED
                ? packedRowBytes()
                : Double.BYTES * view().featureNames().size();
        return rowBytes * rowsPerSecond() * Duration.ofDays(1).toSeconds();
    }

    /** Rows that the store holds: the newest of each key, and with history one per window end. */
    double storedRows();

    /** Bytes of all rows that the store holds. */
    default double storeBytes() {
        return storedRows() * storeRowBytes();
    }

    /** Rows that the store holds if this many keys have a row at each window end. */
    static double storedRows(FeatureView view, double keys) {
        var history = view.online().history();
        if (history == null) {
            return keys;
        }
        double keptMs = view.online().ttl().millis() + history.millis();
        return keys * (1 + Math.ceil(keptMs / view.clock().everyMs()));
    }
}
