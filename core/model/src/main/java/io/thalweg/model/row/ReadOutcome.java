package io.thalweg.model.row;

import io.thalweg.kernel.pane.PaneClock;
import java.time.Duration;

/**
 * The result for one key: its status and the window end that the values belong to.
 *
 * @param windowEndMs epoch ms; {@link #NONE} if neither a row nor the watermark determines it
 */
public record ReadOutcome(ReadStatus status, long windowEndMs) {
    /** The absence of a row, a watermark or a window end. */
    public static final long NONE = Long.MIN_VALUE;

    /**
     * Judges the newest stored row of a geospatial view. A cell without events has no row, so absence means zero, as long as the
     * pipeline does not lag. A row of zeros closes a cell, possibly at a window end that the watermark has not reached.
     *
     * @param nowMs the time of the read
     * @param watermarkMs the view's watermark as readers see it, or {@link #NONE}
     * @param ttl how far the pipeline may lag
     * @param rowEndMs window end of the newest row, or {@link #NONE}
     * @param anyNonZero whether any value of that row is above zero
     */
    public static ReadOutcome latest(long nowMs, long watermarkMs, Duration ttl, long rowEndMs, boolean anyNonZero) {
        if (watermarkMs == NONE || nowMs - watermarkMs > ttl.toMillis()) {
            return new ReadOutcome(ReadStatus.OUTSIDE_MAX_AGE, watermarkMs);
        }
        if (rowEndMs != NONE && rowEndMs >= watermarkMs) {
            return new ReadOutcome(anyNonZero ? ReadStatus.PRESENT : ReadStatus.ZERO, rowEndMs);
        }
        return new ReadOutcome(ReadStatus.ZERO, watermarkMs);
    }

    /**
     * Judges a read of the past: the row that ends exactly at the last boundary up to {@code asOfMs}, or zero. Callers
     * must first refuse {@code asOfMs} beyond the watermark.
     *
     * @param everyMs the view's slide
     * @param rowEndMs window end of the newest row that ends at or before {@code asOfMs}, or {@link #NONE}
     */
    public static ReadOutcome asOf(long asOfMs, long everyMs, long rowEndMs, boolean anyNonZero) {
        long boundary = new PaneClock(everyMs).lastEndMs(asOfMs);
        boolean present = rowEndMs == boundary && anyNonZero;
        return new ReadOutcome(present ? ReadStatus.PRESENT : ReadStatus.ZERO, boundary);
    }

    /**
     * Judges the newest stored row of a keyed view.
     *
     * @param nowMs the time of the read
     * @param watermarkMs the view's watermark as readers see it, or {@link #NONE}
     * @param ttl how far the pipeline may lag, and how old a row may be
     * @param rowEndMs window end of the newest row, or {@link #NONE}
     */
    public static ReadOutcome keyed(long nowMs, long watermarkMs, Duration ttl, long rowEndMs) {
        if (watermarkMs == NONE || nowMs - watermarkMs > ttl.toMillis()) {
            return new ReadOutcome(ReadStatus.OUTSIDE_MAX_AGE, rowEndMs == NONE ? watermarkMs : rowEndMs);
        }
        if (rowEndMs == NONE) {
            return new ReadOutcome(ReadStatus.NOT_FOUND, NONE);
        }
        boolean current = nowMs - rowEndMs <= ttl.toMillis();
        return new ReadOutcome(current ? ReadStatus.PRESENT : ReadStatus.OUTSIDE_MAX_AGE, rowEndMs);
    }
}
