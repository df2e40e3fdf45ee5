package io.thalweg.jobs.sink;

/**
 * Counts of the records written to a topic. They are part of the job's state.
 *
 * @param bytes of the values
 */
public record TopicTotals(long records, long bytes) {
    /** Zero counts. */
    public static final TopicTotals NONE = new TopicTotals(0, 0);

    /** Returns the sum of both counts. */
    public TopicTotals plus(TopicTotals other) {
        return new TopicTotals(records + other.records, bytes + other.bytes);
    }

    /** Returns the counts with inverted signs. */
    public TopicTotals negated() {
        return new TopicTotals(-records, -bytes);
    }
}
