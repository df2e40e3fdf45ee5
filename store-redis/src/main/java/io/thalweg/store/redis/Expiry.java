package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.thalweg.model.FeatureView;
import io.thalweg.store.Retention;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which rows of a view are no longer written, and for how long the others are to live, as of the begin of a write. The server is
 * given a minute more than rows need, because clocks disagree.
 *
 * @param oldestMs rows of an earlier window end have expired, epoch ms
 * @param expiredRows counts those
 */
record Expiry(long oldestMs, LongAdder expiredRows) {
    private static final long MARGIN_MS = 60_000;

    static Expiry of(FeatureView view, long nowMs, LongAdder expiredRows) {
        return new Expiry(Retention.of(view).oldestMs(nowMs), expiredRows);
    }

    /** Whether rows of a window end have expired; those that have are counted. */
    boolean isOver(long windowEndMs, int rows) {
        boolean over = windowEndMs < oldestMs;
        expiredRows.add(over ? rows : 0);
        return over;
    }

    /** A row is to live for its window end less this, epoch ms in decimals. */
    byte[] since() {
        return decimals(oldestMs - MARGIN_MS);
    }

    /** For how long a row is to live, ms in decimals. */
    byte[] lives(long windowEndMs) {
        return lives(windowEndMs, oldestMs);
    }

    /** The same, if what belongs to a window end before {@code oldestMs} has expired. */
    static byte[] lives(long windowEndMs, long oldestMs) {
        return decimals(windowEndMs - oldestMs + MARGIN_MS);
    }

    /** Arguments of {@link Script#WRITE_ROWS}, with room for so many fields and rows after the first two. */
    byte[][] arguments(long windowEndMs, int rows) {
        byte[][] arguments = new byte[2 + 2 * rows][];
        arguments[0] = lives(windowEndMs);
        arguments[1] = decimals(oldestMs);
        return arguments;
    }

    static byte[] decimals(long number) {
        return Long.toString(number).getBytes(US_ASCII);
    }
}
