package io.thalweg.kernel.pane;

import java.io.Serializable;

/**
 * The arithmetic of panes: event time is cut at multiples of the slide, from the UTC epoch on, also before it.
 *
 * <p>Pane {@code p} holds times {@code [p·every, (p+1)·every)}. The window end {@code T} covers the time {@code
 * T·every}; a window of {@code W} panes that ends there holds panes {@code T−W … T−1}.
 *
 * @param everyMs the slide in milliseconds, at least 1
 */
public record PaneClock(long everyMs) implements Serializable {
    public PaneClock {
        if (everyMs < 1) {
            throw new IllegalArgumentException("everyMs must be at least 1, was " + everyMs);
        }
    }

    /** The pane that a time falls into. */
    public long pane(long timeMs) {
        return Math.floorDiv(timeMs, everyMs);
    }

    /** Window ends reached when the watermark stands here: all {@code T} up to and including this one. */
    public long endsReached(long watermarkMs) {
        return Math.floorDiv(watermarkMs, everyMs);
    }

    /** The first window end not before a time. */
    public long firstEndAtOrAfter(long timeMs) {
        long end = Math.floorDiv(timeMs, everyMs);
        return Math.floorMod(timeMs, everyMs) == 0 ? end : end + 1;
    }

    /** The last window end at or before a time, both epoch milliseconds. */
    public long lastEndMs(long timeMs) {
        return pane(timeMs) * everyMs;
    }

    /** The end of the pane that a time falls into, both epoch milliseconds. */
    public long paneEndMs(long timeMs) {
        return (pane(timeMs) + 1) * everyMs;
    }

    /** Epoch milliseconds of a window end; throws ArithmeticException beyond the range of {@code long}. */
    public long endMs(long end) {
        return Math.multiplyExact(end, everyMs);
    }
}
