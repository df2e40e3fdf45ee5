package io.thalweg.jobs.kafka;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * How far a reader without active partitions may promise: as far as the other readers have come, or, while all partitions of
 * all readers are idle, as far as the clock on the wall allows.
 */
record SourceClock(long watermarkMs) implements SourceEvent {
    private static final long serialVersionUID = 1L;
}
