package io.thalweg.jobs.sink;

/**
 * Counts of the records written to a topic. They are part of the job's state.
 *
 * @param bytes of the values
 */
public record TopicCounts(long records, long bytes) {
    /** Zero counts. */
    public static final TopicCounts NONE = new TopicCounts(0, 0);

    /** Returns the sum of both counts. */
    public TopicCounts plus(TopicCounts other) {
        return new TopicCounts(records + other.records, bytes + other.bytes);
    }

    /** Returns the counts with inverted signs. */
    public TopicCounts negated() {
        return new TopicCounts(-records, -bytes);
    }
}
