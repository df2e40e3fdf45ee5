package io.thalweg.store;

import io.thalweg.model.FeatureView;
import io.thalweg.model.Online;
import java.nio.ByteBuffer;

/**
 * How long a view's rows stay.
 *
 * @param historyMs {@link #NO_HISTORY} where only the newest row of a key is kept
 */
record Retention(long ttlMs, long historyMs) {
    static final long NO_HISTORY = -1;

    static Retention of(FeatureView view) {
        Online online = view.online();
        var history = online.history();
        return new Retention(online.ttl().millis(), history == null ? NO_HISTORY : history.millis());
    }

    static Retention decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new Retention(in.getLong(), in.getLong());
    }

    byte[] encode() {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(ttlMs)
                .putLong(historyMs)
                .array();
    }

    boolean keepsHistory() {
        return historyMs != NO_HISTORY;
    }

    /** Rows with an earlier window end have expired at {@code nowMs}. */
    long oldestMs(long nowMs) {
        return nowMs - ttlMs - Math.max(0, historyMs);
    }
}
