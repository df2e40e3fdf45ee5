package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Retention;
import java.util.concurrent.atomic.LongAdder;

/**
 * Decides which rows of a view are no longer written, and how long the others live, as of the start of a write. On the server,
 * rows live a minute longer than needed, because clocks disagree.
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

    /** The time that, subtracted from its window end, gives a row's time to live; epoch ms in decimals. */
    byte[] since() {
        return decimals(oldestMs - MARGIN_MS);
    }

    /** A row's time to live, ms in decimals. */
    byte[] lives(long windowEndMs) {
        return lives(windowEndMs, oldestMs);
    }

    /** The same, where everything of a window end before {@code oldestMs} has expired. */
    static byte[] lives(long windowEndMs, long oldestMs) {
        return decimals(windowEndMs - oldestMs + MARGIN_MS);
    }

    /** Creates arguments of {@link Script#WRITE_ROWS} with room for this many fields and rows after the first two. */
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
