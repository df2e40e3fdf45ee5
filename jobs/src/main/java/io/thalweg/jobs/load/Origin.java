package io.thalweg.jobs.load;

/**
 * Where a row was read, for dead letters.
 *
 * @param source topic or file
 */
public record Origin(String source, int partition, long offset) {
    /** The origin of a row that was computed rather than read. */
    public static final Origin NONE = new Origin("", -1, -1);
}
