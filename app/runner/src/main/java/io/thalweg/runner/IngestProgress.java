package io.thalweg.runner;

import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.account.IngestTotals;
import java.util.Locale;
import java.util.function.Supplier;

/** Reports the speed and the progress of an ingest as a line. */
final class IngestProgress {
    private final String ingest;
    private final IngestJobAccount counts;
    private final long totalBytes;
    private final Supplier<String> behind;
    private long nanos = System.nanoTime();
    private long events;
    private long bytes;

    /**
     * Starts measuring.
     *
     * @param totalBytes bytes of all input; 0 = unknown
     * @param behind how far the ingest is behind; empty = unknown
     */
    IngestProgress(String ingest, IngestJobAccount counts, long totalBytes, Supplier<String> behind) {
        this.ingest = ingest;
        this.counts = counts;
        this.totalBytes = totalBytes;
        this.behind = behind;
    }

    String line() {
        IngestTotals totals = counts.total();
        long now = System.nanoTime();
        double seconds = Math.max(1e-3, (now - nanos) / 1e9);
        long newEvents = totals.get(Count.EVENTS);
        long newBytes = totals.get(Count.BYTES_IN);
        String line = String.format(
                Locale.ROOT,
                "%s: %s%,d events, %,.0f a second, %,.1f MB a second in, %,d bad%s",
                ingest,
                share(newBytes),
                newEvents,
                (newEvents - events) / seconds,
                (newBytes - bytes) / 1e6 / seconds,
                totals.get(Count.BAD),
                suffix(behind.get()));
        nanos = now;
        events = newEvents;
        bytes = newBytes;
        return line;
    }

    private static String suffix(String behind) {
        return behind.isEmpty() ? "" : ", " + behind;
    }

    private String share(long read) {
        return totalBytes == 0 ? "" : "%3d %%  ".formatted(Math.round(100.0 * Math.min(read, totalBytes) / totalBytes));
    }
}
