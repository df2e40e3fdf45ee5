package io.thalweg.jobs.kafka.partition;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * The watermark that a reader without active partitions may promise: that of the other readers or, while all partitions of all readers
 * are idle, the one that follows the wall clock.
 */
public record SourceClock(long watermarkMs) implements SourceEvent {
    private static final long serialVersionUID = 1L;
}
