package io.thalweg.devkit.google;

/**
 * The latencies between the creation of rows and their visibility, to the millisecond. Rows of an initial period do not count, because
 * the job that writes them is still starting.
 *
 * <p><b>Threads.</b> One.
 */
final class Latencies {
    private static final int LONGEST_MS = 600_000;

    private final long skipMs;
    private final int[] counts = new int[LONGEST_MS + 1];
    private long counted;
    private long firstMs = Long.MAX_VALUE;

    Latencies(long skipMs) {
        this.skipMs = skipMs;
    }

    void add(long madeMs, long nowMs) {
        firstMs = Math.min(firstMs, madeMs);
        if (madeMs - firstMs >= skipMs) {
            counts[(int) Math.max(0, Math.min(LONGEST_MS, nowMs - madeMs))]++;
            counted++;
        }
    }

    /** Returns the latency that this share of the rows does not exceed (nearest rank), in milliseconds; -1 if no row counts. */
    long rankMs(double share) {
        long wanted = Math.max(1, (long) Math.ceil(share * counted));
        long seen = 0;
        for (int ms = 0; ms <= LONGEST_MS; ms++) {
            seen += counts[ms];
            if (seen >= wanted) {
                return ms;
            }
        }
        return -1;
    }
}
