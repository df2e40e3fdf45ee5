package io.thalweg.jobs.kafka.partition;

import java.util.HashMap;
import java.util.Map;

/**
 * Combines the clocks of all readers, so that readers with nothing to read follow the active ones.
 *
 * <p><b>Units.</b> Epoch ms. <b>Threads.</b> Single-threaded.
 */
public final class IdleClock {
    /** The result while nothing can be promised. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private final long silenceMs;
    private final Map<Integer, ReaderClock> readers = new HashMap<>();

    /**
     * Creates a clock without readers.
     *
     * @param silenceMs how far the watermark follows behind the wall clock while all partitions are idle
     */
    IdleClock(long silenceMs) {
        this.silenceMs = silenceMs;
    }

    void heard(int reader, ReaderClock clock) {
        readers.put(reader, clock);
    }

    /** Discards the reports of a reader that restarts. */
    void forget(int reader) {
        readers.remove(reader);
    }

    /** Returns whether every reader has reported. */
    boolean hasHeardAll(int parallelism) {
        return readers.size() >= parallelism;
    }

    /**
     * Returns the smallest watermark emitted before the readers were restored; {@link ReaderClock#NONE} if there was none.
     */
    long restoredMs() {
        return readers.values().stream()
                .mapToLong(ReaderClock::restoredMs)
                .min()
                .orElse(ReaderClock.NONE);
    }

    /**
     * Returns the watermark that idle readers may promise; {@link #UNKNOWN} unless every reader has reported and their reports cover all
     * partitions, because a partition that is not yet with its reader may hold any event.
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
