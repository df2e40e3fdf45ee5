package io.thalweg.jobs.kafka;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition and how far it is read: all that its clock and its position need to go on after a failure.
 *
 * @param nextOffset the next record to read
 * @param maxEventTimeMs the largest plausible event time read so far; {@code Long.MIN_VALUE} before the first
 * @param promisedMs the watermark that the partition's reader had sent on
 */
public record KafkaSplit(String topic, int partition, long nextOffset, long maxEventTimeMs, long promisedMs)
        implements SourceSplit {

    static KafkaSplit unread(TopicPartition partition, long firstOffset) {
        return new KafkaSplit(partition.topic(), partition.partition(), firstOffset, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    @Override
    public String splitId() {
        return topic + "-" + partition;
    }

    TopicPartition topicPartition() {
        return new TopicPartition(topic, partition);
    }

    void write(DataOutput out) throws IOException {
        out.writeUTF(topic);
        out.writeInt(partition);
        out.writeLong(nextOffset);
        out.writeLong(maxEventTimeMs);
        out.writeLong(promisedMs);
    }

    static KafkaSplit read(DataInput in) throws IOException {
        return new KafkaSplit(in.readUTF(), in.readInt(), in.readLong(), in.readLong(), in.readLong());
    }
}
