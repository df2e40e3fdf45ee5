package io.thalweg.runner;

import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestTotals;
import java.util.Locale;

/**
 * What a run has done, by independent counts: those of the translation, and those of what can be read at the destination.
 *
 * @param ingest qualified name
 * @param byFunction whether a function determines how many rows an event becomes; otherwise it is one
 * @param written by this run
 * @param seconds that the run took
 * @param deadLetters where dead letters are, for people
 */
record IngestReport(
        String ingest, boolean byFunction, IngestTotals totals, Written written, double seconds, String deadLetters) {
    /** The account in one line. */
    String line() {
        long events = totals.get(Count.EVENTS);
        long bad = totals.get(Count.BAD);
        long bytes = totals.get(Count.BYTES_IN);
        long lost = totals.get(Count.LOST);
        long tombstones = totals.get(Count.TOMBSTONES);
        return String.format(
                Locale.ROOT,
                "%s: records=%d events=%d filtered=%d bad=%d kept=%d rows=%d written=%d refused=%d files=%d retries=%d bytes_in=%d"
                        + " bytes_out=%d seconds=%.1f events_per_second=%.0f mb_per_second=%.1f%s%s%s%s",
                ingest,
                totals.get(Count.RECORDS),
                events,
                totals.get(Count.FILTERED),
                bad,
                totals.get(Count.KEPT),
                totals.get(Count.ROWS),
                written.rows(),
                written.refused(),
                written.files(),
                written.retries(),
                bytes,
                written.bytes(),
                seconds,
                events / seconds,
                bytes / 1e6 / seconds,
                lost == 0 ? "" : " lost=" + lost,
                tombstones == 0 ? "" : " tombstones=" + tombstones,
                bad == 0 ? "" : " reasons=" + totals.badByReason(),
                bad + written.refused() == 0 ? "" : " dead_letters=" + deadLetters);
    }

    /**
     * Requires that nothing was lost.
     *
     * @throws UserError if a sum does not match its parts
     */
    void requireBalance() {
        long events = totals.get(Count.EVENTS);
        long filtered = totals.get(Count.FILTERED);
        long bad = totals.get(Count.BAD);
        long kept = totals.get(Count.KEPT);
        if (events != filtered + bad + kept) {
            throw defect(
                    "%d events were read, but %d filtered, %d bad and %d kept".formatted(events, filtered, bad, kept));
        }
        long rows = totals.get(Count.ROWS);
        if (!byFunction && kept != rows) {
            throw defect("%d events were kept, but %d rows were made".formatted(kept, rows));
        }
        if (rows != written.rows() + written.refused()) {
            throw defect("%d rows were made, but the table has %d of this run, and %d were refused"
                    .formatted(rows, written.rows(), written.refused()));
        }
    }

    private static UserError defect(String message) {
        return UserError.failed(
                message, "this is a defect; remove the rows of this run and start over with --resume none");
    }
}
