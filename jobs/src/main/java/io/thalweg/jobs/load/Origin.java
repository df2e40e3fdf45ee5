package io.thalweg.jobs.load;

/**
 * Where a row was read, for dead letters.
 *
 * @param source topic or file
 */
public record Origin(String source, int partition, long offset) {
    /** Of a row that was not read but computed. */
    public static final Origin NONE = new Origin("", -1, -1);
}
