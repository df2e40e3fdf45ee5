package io.thalweg.jobs.lane;

/**
 * Counts of lanes. They are part of the job's state.
 *
 * @param written rows that are durable
 * @param refused rows that the warehouse refused
 * @param bytes encoded size of the durable rows
 * @param retries requests that were retried
 */
public record LaneCounts(long written, long refused, long bytes, long retries) {
    /** All counts are zero. */
    public static final LaneCounts NONE = new LaneCounts(0, 0, 0, 0);

    /** Returns the sum of two. */
    public LaneCounts plus(LaneCounts other) {
        return new LaneCounts(
                written + other.written, refused + other.refused, bytes + other.bytes, retries + other.retries);
    }

    /** Returns these counts with inverted signs. */
    public LaneCounts negated() {
        return new LaneCounts(-written, -refused, -bytes, -retries);
    }
}
