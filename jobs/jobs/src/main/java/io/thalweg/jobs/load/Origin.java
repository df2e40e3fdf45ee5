package io.thalweg.jobs.load;

/**
 * The place that a row was read from, for dead letters.
 *
 * @param source topic or file
 */
public record Origin(String source, int partition, long offset) {
    /** The origin of a row that was computed rather than read. */
    public static final Origin NONE = new Origin("", -1, -1);
}
