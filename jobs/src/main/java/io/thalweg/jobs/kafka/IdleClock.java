package io.thalweg.jobs.kafka;

import java.util.HashMap;
import java.util.Map;

/**
 * Brings together what the readers know of time, so that those with nothing to read follow those that have.
 *
 * <p><b>Units.</b> Epoch ms. <b>Threads.</b> One.
 */
final class IdleClock {
    /** The result while nothing can be promised. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private final long silenceMs;
    private final Map<Integer, ReaderClock> readers = new HashMap<>();

    /**
     * Knows no reader yet.
     *
     * @param silenceMs how far behind the clock on the wall the watermark follows while all partitions are idle
     */
    IdleClock(long silenceMs) {
        this.silenceMs = silenceMs;
    }

    void heard(int reader, ReaderClock clock) {
        readers.put(reader, clock);
    }

    /** The reader starts over: what it reported before is void. */
    void forget(int reader) {
        readers.remove(reader);
    }

    /** Whether each reader has spoken. */
    boolean hasHeardAll(int parallelism) {
        return readers.size() >= parallelism;
    }

    /**
     * The smallest watermark that was sent before the readers were restored; {@link ReaderClock#NONE} where there was none.
     */
    long restoredMs() {
        return readers.values().stream()
                .mapToLong(ReaderClock::restoredMs)
                .min()
                .orElse(ReaderClock.NONE);
    }

    /**
     * The watermark that idle readers may promise, {@link #UNKNOWN} unless each reader has spoken and all partitions are among
     * what they spoke of: one that is on its way to a reader may hold anything.
     */
    long watermarkMs(int parallelism, int partitions) {
        long known = 0;
        long activeMs = ReaderClock.NONE;
        long quietUntilMs = ReaderClock.NONE;
        for (ReaderClock reader : readers.values()) {
            known += reader.partitions();
            activeMs = Math.min(activeMs, reader.activeMs());
            quietUntilMs = Math.min(quietUntilMs, reader.quietUntilMs());
        }
        if (readers.size() < parallelism || known != partitions || partitions == 0) {
            return UNKNOWN;
        }
        return activeMs != ReaderClock.NONE ? activeMs : quietUntilMs - silenceMs;
    }
}
