package io.thalweg.jobs.kafka;

import io.thalweg.formats.RecordOrigin;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over records of one partition; starts before the first. The origin is that of the current record.
 *
 * <p><b>Threads.</b> One.
 */
interface RecordCursor extends RecordOrigin {
    TopicPartition topicPartition();

    @Override
    default int partition() {
        return topicPartition().partition();
    }

    /**
     * Moves to the next record; false at the end.
     *
     * @throws org.apache.kafka.common.errors.CorruptRecordException if a batch is damaged; the message names partition and offset
     */
    boolean next();

    /** The position behind the current record. */
    LogPosition behind();

    /** The producer's timestamp or the broker's append time, as the topic is configured; epoch ms, -1 if there is none. */
    @Override
    long timestampMs();

    /** A copy; null if there is none. */
    @Override
    byte @Nullable [] key();

    /** The array that holds the value. */
    byte[] bytes();

    int valueAt();

    /** -1 for a record without a value. */
    int valueLength();

    /**
     * The arrays that hold no record from here on, each returned once. They may be given back to their pool when nothing that
     * was read so far is needed any more.
     */
    List<byte[]> left();
}
