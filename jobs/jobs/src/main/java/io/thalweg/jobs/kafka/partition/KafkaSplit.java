package io.thalweg.jobs.kafka.partition;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.jobs.kafka.fetch.LogPosition;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.kafka.common.TopicPartition;

/**
 * A partition and its read progress: all that its clock and its position need to resume after a failure.
 *
 * @param position the next record to read
 * @param maxEventTimeMs the largest plausible event time read so far; {@code Long.MIN_VALUE} before the first
 * @param promisedMs the watermark that the partition's reader had emitted
 */
public record KafkaSplit(String topic, int partition, LogPosition position, long maxEventTimeMs, long promisedMs)
        implements SourceSplit {
    /** The version of the serialized form in checkpoints. */
    static final int VERSION = 2;

    /** Creates the split of a partition without a clock, or of which no event was read yet. */
    public static KafkaSplit at(TopicPartition partition, LogPosition position) {
        return new KafkaSplit(partition.topic(), partition.partition(), position, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    /** Returns this split with a reader that had emitted this watermark or a later one. */
    KafkaSplit promised(long watermarkMs) {
        return new KafkaSplit(topic, partition, position, maxEventTimeMs, Math.max(promisedMs, watermarkMs));
    }

    @Override
    public String splitId() {
        return topic + "-" + partition;
    }

    public TopicPartition topicPartition() {
        return new TopicPartition(topic, partition);
    }

    void write(DataOutput out) throws IOException {
        out.writeUTF(topic);
        out.writeInt(partition);
        position.write(out);
        out.writeLong(maxEventTimeMs);
        out.writeLong(promisedMs);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param version {@link #VERSION}, or 1, in which a position was only an offset
     * @throws IOException if the version is unknown
     */
    static KafkaSplit read(int version, DataInput in) throws IOException {
        StateVersionException.check("Kafka partitions", version, 1, VERSION);
        return new KafkaSplit(
                in.readUTF(),
                in.readInt(),
                version == 1 ? LogPosition.unread(in.readLong()) : LogPosition.read(in),
                in.readLong(),
                in.readLong());
    }
}
