package io.thalweg.store.cassandra;

import io.thalweg.model.row.Finality;
import io.thalweg.model.view.FeatureView;
import java.util.concurrent.TimeUnit;

/**
 * The write time of a row, by which Cassandra decides which of a key's rows wins: the order rule as one number of microseconds.
 *
 * <p><b>Shape.</b> A window end owns the microseconds of the {@code every} before it: the last for FINAL, the others for PARTIAL
 * rows by their sequence. So write times are in the past like the rows' times, which compaction by time relies on.
 *
 * <p><b>Ties.</b> Sequences are arbitrary numbers, but microseconds are few. Write times differ for sequences that count from 0,
 * and for those that are epoch ms near the window end, as jobs use: from a minute before its last pane to {@code 750 * every}
 * less that minute after it. Other sequences may share a write time; then the later arrival wins.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class WriteTime {
    private static final long EARLY_MS = TimeUnit.MINUTES.toMillis(1);

    private final long everyMs;
    private final long times;

    WriteTime(FeatureView view) {
        everyMs = view.clock().everyMs();
        times = TimeUnit.MILLISECONDS.toMicros(everyMs);
    }

    /** Microseconds since the epoch. */
    long of(long windowEndMs, Finality finality, long sequence) {
        long last = TimeUnit.MILLISECONDS.toMicros(windowEndMs) - 1;
        return finality == Finality.FINAL ? last : last - times + 1 + rank(windowEndMs, sequence);
    }

    /** Grows with the sequence, from 0 to the second-largest time. */
    private long rank(long windowEndMs, long sequence) {
        long small = times / 4;
        long fromMs = windowEndMs - everyMs - EARLY_MS;
        long rank = sequence < fromMs
                ? Math.min(sequence, small)
                : small + 1 + Math.min(sequence - Math.max(0, fromMs), times);
        return Math.min(rank, times - 2);
    }
}
