package io.thalweg.jobs.sink;

/**
 * Counts of what a topic has taken. They are part of the job's state.
 *
 * @param bytes of the values
 */
public record TopicCounts(long records, long bytes) {
    /** Nothing. */
    public static final TopicCounts NONE = new TopicCounts(0, 0);

    /** The sum of two. */
    public TopicCounts plus(TopicCounts other) {
        return new TopicCounts(records + other.records, bytes + other.bytes);
    }

    /** The same with other signs: its sum with these is nothing. */
    public TopicCounts negated() {
        return new TopicCounts(-records, -bytes);
    }
}
