package io.thalweg.jobs.sink;

import org.jspecify.annotations.Nullable;

/**
 * The state of the writer of a topic at a checkpoint.
 *
 * @param kafkaVersion the version of {@code kafka}
 * @param kafka the state of Kafka's own writer, in its encoding; null if it has none
 * @param counts what the writer has written to the topic until the checkpoint, including the counts that it started from
 */
record TopicWriterState(int kafkaVersion, byte @Nullable [] kafka, TopicTotals counts) {
    /** Creates a state without one of Kafka's writer, which has none unless it writes transactions. */
    static TopicWriterState of(TopicTotals counts) {
        return new TopicWriterState(0, null, counts);
    }
}
