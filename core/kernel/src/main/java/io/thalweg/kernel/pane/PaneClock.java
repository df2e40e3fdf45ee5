package io.thalweg.kernel.pane;

import java.io.Serializable;

/**
 * The arithmetic of panes: event time is divided at multiples of the slide, counted from the UTC epoch, also before it.
 *
 * <p>Pane {@code p} contains times {@code [p·every, (p+1)·every)}. The window end {@code T} is the time {@code T·every}; a window
 * of {@code W} panes that ends there contains panes {@code T−W … T−1}.
 *
 * @param everyMs the slide in milliseconds, at least 1
 */
public record PaneClock(long everyMs) implements Serializable {
    public PaneClock {
        if (everyMs < 1) {
            throw new IllegalArgumentException("everyMs must be at least 1, was " + everyMs);
        }
    }

    /** Returns the pane of a time. */
    public long pane(long timeMs) {
        return Math.floorDiv(timeMs, everyMs);
    }

    /** Returns the last window end that a watermark has reached: all {@code T} up to and including it are reached. */
    public long endsReached(long watermarkMs) {
        return Math.floorDiv(watermarkMs, everyMs);
    }

    /** Returns the first window end not before a time. */
    public long firstEndAtOrAfter(long timeMs) {
        long end = Math.floorDiv(timeMs, everyMs);
        return Math.floorMod(timeMs, everyMs) == 0 ? end : end + 1;
    }

    /** Returns the last window end at or before a time, both in epoch milliseconds. */
    public long lastEndMs(long timeMs) {
        return pane(timeMs) * everyMs;
    }

    /** Returns the end of the pane of a time, both in epoch milliseconds. */
    public long paneEndMs(long timeMs) {
        return (pane(timeMs) + 1) * everyMs;
    }

    /** Returns the epoch milliseconds of a window end; throws ArithmeticException beyond the range of {@code long}. */
    public long endMs(long end) {
        return Math.multiplyExact(end, everyMs);
    }
}
