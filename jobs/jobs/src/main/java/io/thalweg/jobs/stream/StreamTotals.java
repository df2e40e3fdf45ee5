package io.thalweg.jobs.stream;

/**
 * Counts of streams. They are part of the job's state.
 *
 * @param written rows that are durable
 * @param refused rows that the warehouse refused
 * @param bytes encoded size of the durable rows
 * @param retries requests that were retried
 */
public record StreamTotals(long written, long refused, long bytes, long retries) {
    /** All counts are zero. */
    public static final StreamTotals NONE = new StreamTotals(0, 0, 0, 0);

    /** Returns the sum of two. */
    public StreamTotals plus(StreamTotals other) {
        return new StreamTotals(
                written + other.written, refused + other.refused, bytes + other.bytes, retries + other.retries);
    }

    /** Returns these counts with inverted signs. */
    public StreamTotals negated() {
        return new StreamTotals(-written, -refused, -bytes, -retries);
    }
}
