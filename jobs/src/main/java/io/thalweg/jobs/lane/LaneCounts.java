package io.thalweg.jobs.lane;

/**
 * Counts of lanes. They are part of the job's state.
 *
 * @param written rows that are durable
 * @param refused rows that the warehouse has refused
 * @param bytes of the rows that are durable, encoded
 * @param retries requests that were sent again
 */
public record LaneCounts(long written, long refused, long bytes, long retries) {
    /** Nothing. */
    public static final LaneCounts NONE = new LaneCounts(0, 0, 0, 0);

    /** The sum of two. */
    public LaneCounts plus(LaneCounts other) {
        return new LaneCounts(
                written + other.written, refused + other.refused, bytes + other.bytes, retries + other.retries);
    }

    /** The same with other signs: its sum with these is nothing. */
    public LaneCounts negated() {
        return new LaneCounts(-written, -refused, -bytes, -retries);
    }
}
