package io.thalweg.jobs.kafka.fetch;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** Thrown if records that were to be read, or had been read, no longer exist. A restart from a checkpoint does not help. */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class LostPositionException extends KafkaException {
    private static final long serialVersionUID = 1;

    public LostPositionException(TopicPartition partition, LogPosition position, String what) {
        super("%s cannot be read on from offset %d: %s. What is there now can be read with --resume none"
                .formatted(partition, position.offset(), what));
    }

    public LostPositionException(TopicPartition partition, long offset, String what) {
        super("%s cannot be read on from offset %d: %s".formatted(partition, offset, what));
    }
}
