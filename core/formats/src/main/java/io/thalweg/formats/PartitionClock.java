package io.thalweg.formats;

/**
 * The clock {@code W_p} of one source partition: the largest plausible event time read so far, in offset order, minus the
 * source's {@code max_out_of_orderness}. An event is judged by the clock before that event; then it advances the clock, whether
 * or not {@code where} keeps it. Events with a bad time do not.
 *
 * <p><b>Units.</b> Epoch ms. <b>Threads.</b> One.
 */
public final class PartitionClock {
    /** The clock, and the largest event time, before the first event. */
    public static final long NOT_STARTED = Long.MIN_VALUE;

    private final long maxOutOfOrdernessMs;
    private long maxEventTimeMs;

    private PartitionClock(long maxOutOfOrdernessMs, long maxEventTimeMs) {
        this.maxOutOfOrdernessMs = maxOutOfOrdernessMs;
        this.maxEventTimeMs = maxEventTimeMs;
    }

    /** Creates a clock that has seen no event. */
    public static PartitionClock notStarted(long maxOutOfOrdernessMs) {
        return new PartitionClock(maxOutOfOrdernessMs, NOT_STARTED);
    }

    /** Restores a clock from its saved {@link #maxEventTimeMs()}. */
    public static PartitionClock restore(long maxOutOfOrdernessMs, long maxEventTimeMs) {
        return new PartitionClock(maxOutOfOrdernessMs, maxEventTimeMs);
    }

    /** {@code W_p}, or {@link #NOT_STARTED}. */
    public long nowMs() {
        return maxEventTimeMs == NOT_STARTED ? NOT_STARTED : maxEventTimeMs - maxOutOfOrdernessMs;
    }

    /** The largest event time so far, or {@link #NOT_STARTED}; saved in checkpoints. */
    public long maxEventTimeMs() {
        return maxEventTimeMs;
    }

    /** Advances the clock by an event with a plausible time. */
    public void advance(long eventTimeMs) {
        maxEventTimeMs = Math.max(maxEventTimeMs, eventTimeMs);
    }
}
