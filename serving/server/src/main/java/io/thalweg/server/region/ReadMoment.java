package io.thalweg.server.region;

import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadRule;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.read.FeatureReader;
import io.thalweg.store.OnlineStore;
import java.time.Clock;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The time as of which the rows of a scan are read and judged. All times are epoch ms.
 *
 * @param watermarkMs the view's, read before the rows; empty = none
 * @param asOfMs empty = the newest rows
 */
record ReadMoment(ReadRule rule, OptionalLong watermarkMs, OptionalLong asOfMs, long nowMs) {
    /**
     * Returns the moment of a request.
     *
     * @throws RefusedRequestException if the view keeps no history or has not reached {@code as_of}
     */
    static ReadMoment of(ScanRequest request, OnlineStore store, Clock clock) {
        FeatureView view = request.view();
        Instant asOf = request.asOf();
        OptionalLong asOfMs = asOf == null ? OptionalLong.empty() : OptionalLong.of(FeatureReader.asOfMs(view, asOf));
        OptionalLong watermarkMs = store.watermark(view.qualifiedName());
        if (asOf != null) {
            FeatureReader.requireReached(asOfMs.getAsLong(), watermarkMs);
        }
        return new ReadMoment(ReadRule.of(view), watermarkMs, asOfMs, clock.millis());
    }

    /** Returns the outcome of a read for a row; null = the key has none. */
    ReadOutcome outcome(@Nullable StoredRow row) {
        long watermark = watermarkMs.orElse(ReadOutcome.NONE);
        return asOfMs.isPresent()
                ? rule.asOf(nowMs, watermark, asOfMs.getAsLong(), row)
                : rule.latest(nowMs, watermark, row);
    }
}
