package io.thalweg.store;

import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import java.nio.ByteBuffer;

/**
 * How long a view's rows are kept.
 *
 * @param ttlMs {@code online.ttl}
 * @param historyMs {@link #NO_HISTORY} where only the newest row of a key is kept
 */
public record Retention(long ttlMs, long historyMs) {
    /** Stands for an absent {@code online.history}. */
    public static final long NO_HISTORY = -1;

    /** The retention that a view defines. */
    public static Retention of(FeatureView view) {
        Online online = view.online();
        var history = online.history();
        return new Retention(online.ttl().millis(), history == null ? NO_HISTORY : history.millis());
    }

    /**
     * Checks a view before it is read as of a time.
     *
     * @throws IllegalArgumentException if the view keeps no history; the message names the key
     */
    public static void requireHistory(FeatureView view) {
        if (view.online().history() == null) {
            throw new IllegalArgumentException(
                    "reading view '" + view.qualifiedName() + "' as of a time needs online.history in its definition");
        }
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

    /** Whether rows of every window end are kept, not only the newest. */
    public boolean keepsHistory() {
        return historyMs != NO_HISTORY;
    }

    /** Rows with an earlier window end have expired at {@code nowMs}. */
    public long oldestMs(long nowMs) {
        return nowMs - ttlMs - Math.max(0, historyMs);
    }
}
