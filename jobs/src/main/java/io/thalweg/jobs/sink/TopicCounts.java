package io.thalweg.jobs.sink;

/**
 * Counts of what a topic has taken.
 *
 * @param bytes of the values
 */
public record TopicCounts(long records, long bytes) {
    static final TopicCounts NONE = new TopicCounts(0, 0);

    /** With records that were counted before, whose bytes are not known any more. */
    public TopicCounts after(long earlier) {
        return new TopicCounts(earlier + records, bytes);
    }

    TopicCounts plus(TopicCounts other) {
        return new TopicCounts(records + other.records, bytes + other.bytes);
    }
}
